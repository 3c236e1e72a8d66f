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

/** Up to so many documents with so many passages together, naming them is the quickest. */
const FEW_DOCUMENTS = 1000;
const FEW_PASSAGES = 5000;
/** Finding a passage takes 5 µs and giving it a score 20: so many of them are the candidates, where fewer are as good. */
const FEW_CANDIDATES = 1000;

type Search = Pick<KnowledgeEngine, 'search' | 'passages'>;

export function createSearch(reads: Reads): Search {
  const counts = createCounts();

  /** The place of the expression to begin with: the first that finds few passages, or the last one. */
  async function beginning(reading: Reading, { expressions, most }: SearchTerms): Promise<number> {
    const last = expressions.length - 1;
    if (most <= FEW_CANDIDATES) return 0;
    const [found = 0] = await counts.of(reading, expressions.slice(-2, -1));
    return last > 0 && found <= FEW_CANDIDATES ? last - 1 : last;
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
    let at = await beginning(reading, terms);
    for (; at > 0; at -= 1) {
      const hits = await hitsOf({ expression: expressions[at] ?? expressions[0] });
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

/** The numbers of the scope's documents when they are few; else null. */
async function fewDocuments(reading: Reading, scope: KnowledgeScope): Promise<number[] | null> {
  const documents = await likelyDocuments(scope, reading.rows);
  const rows = await reading.rows<{ number: number; passages: number }>(
    sql`select number, passages from ${documents} as documents
      where ${visible(scope)} limit ${FEW_DOCUMENTS + 1}::int`,
  );
  const passages = rows.reduce((sum, row) => sum + row.passages, 0);
  return rows.length > FEW_DOCUMENTS || passages > FEW_PASSAGES
    ? null
    : rows.map(({ number }) => number);
}
