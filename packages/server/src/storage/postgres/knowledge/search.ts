import { sql } from 'kysely';
import type {
  KnowledgeEngine,
  RankedPassage,
  StoredPassage,
} from '../../ports/knowledge-engine.ts';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import { createCounts } from './counts.ts';
import { type Ranking, ranked } from './ranking.ts';
import type { Reading, Reads } from './reads.ts';
import { likelyDocuments, visible } from './scope-documents.ts';
import { type SearchTerms, searchTermsOf } from './search-terms.ts';

/** Up to these limits, the search lists the documents of the scope explicitly. This is fastest for few documents. */
const MAX_NAMED_DOCUMENTS = 1000;
const MAX_NAMED_PASSAGES = 5000;
/** Target number of candidates. Finding a passage takes about 5 µs. Scoring a passage takes about 20 µs. */
const TARGET_CANDIDATES = 1000;

type Search = Pick<KnowledgeEngine, 'search' | 'passages'>;

export function createSearch(reads: Reads): Search {
  const counts = createCounts();

  /** Returns the index of the first expression to try: an expression that matches few passages, or the last one. */
  async function firstExpression(
    reading: Reading,
    { expressions, maxMatches }: SearchTerms,
  ): Promise<number> {
    const last = expressions.length - 1;
    if (maxMatches <= TARGET_CANDIDATES) return 0;
    const [found = 0] = await counts.of(reading, expressions.slice(-2, -1));
    return last > 0 && found <= TARGET_CANDIDATES ? last - 1 : last;
  }

  async function rank(
    reading: Reading,
    ranking: Pick<Ranking, 'scope' | 'extent' | 'limit'>,
    terms: SearchTerms,
  ): Promise<readonly RankedPassage[]> {
    const { items, expressions } = terms;
    const hitsOf = (rest: Pick<Ranking, 'expression' | 'documents'>) =>
      reading.rows<RankedPassage>(ranked({ ...ranking, items, ...rest }));
    const documents = await fewDocuments(reading, ranking.scope);
    if (documents !== null) return hitsOf({ expression: expressions[0], documents });
    let index = await firstExpression(reading, terms);
    for (; index > 0; index -= 1) {
      const hits = await hitsOf({ expression: expressions[index] ?? expressions[0] });
      if (hits.length === ranking.limit) return hits;
    }
    return hitsOf({ expression: expressions[0] });
  }

  return {
    search: (scope, query, limit, signal) =>
      reads.in(
        scope.spaceId,
        async (reading) => {
          KnowledgeScope.assert(scope);
          const extent = await counts.extent(reading, scope.spaceId);
          if (extent === null) return [];
          const terms = await searchTermsOf(query, extent, (queries) =>
            counts.of(reading, queries),
          );
          return terms === null ? [] : rank(reading, { scope, extent, limit }, terms);
        },
        signal,
      ),

    passages: (scope, documentId, from, limit) =>
      reads.in(scope.spaceId, (reading) =>
        reading.rows<StoredPassage>(sql`
          select found.position, found.heading, found.text
          from documents
          cross join lateral (
            select position, heading, text from passages
            where passages.space_id = ${scope.spaceId} and passages.document = documents.number
              and passages.position >= ${Math.max(0, from)}::bigint
            order by position
            limit ${limit}::bigint
          ) as found
          where documents.id = ${documentId} and ${visible(scope)}
          order by found.position`),
      ),
  };
}

async function fewDocuments(reading: Reading, scope: KnowledgeScope): Promise<number[] | null> {
  const documents = await likelyDocuments(scope, reading.rows);
  const rows = await reading.rows<{ number: number; passages: number }>(
    sql`select number, passages from ${documents} as documents
      where ${visible(scope)} limit ${MAX_NAMED_DOCUMENTS + 1}::int`,
  );
  const passages = rows.reduce((sum, row) => sum + row.passages, 0);
  return rows.length > MAX_NAMED_DOCUMENTS || passages > MAX_NAMED_PASSAGES
    ? null
    : rows.map(({ number }) => number);
}
