import { type RawBuilder, sql } from 'kysely';
import { FOUND_DOCUMENT } from '../../full-text/found-document.ts';
import type { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { Extent } from './counts.ts';
import { documentByKey, passageByKey, visible } from './scope-documents.ts';
import type { ScoredItem } from './search-terms.ts';

export interface Ranking {
  readonly scope: KnowledgeScope;
  readonly expression: string;
  /** Numbers of the documents to search. Default: all documents of the scope. */
  readonly documents?: readonly number[];
  readonly items: readonly ScoredItem[];
  readonly extent: Extent;
  readonly limit: number;
}

/**
 * Weights of an occurrence in the text (D), heading (C) and title (B). They are equivalent to the BM25 field weights 1, 3 and 2
 * in SQLite. `ts_rank` accepts weights up to 1.
 */
const WEIGHTS = sql.lit(`{${1 / 1.57}, 1, ${1.375 / 1.57}, 0}`);
const MAX_SCORED = 20_000;

/**
 * Returns a statement that ranks passages similarly to BM25. For each term, the inverse document frequency is multiplied by
 * `ts_rank`, which saturates with the frequency of the term. The sum is divided by a factor that grows with the length of the
 * passage.
 *
 * PostgreSQL's statistics may be outdated, and a plan based on them can be a thousand times too slow. The statement is therefore
 * written so that only one plan is possible. The full-text index selects passages of the space, the document of each passage is
 * looked up by its key, and the passages in scope are scored. The scope is applied before scoring and limiting, so hidden
 * passages never take the place of visible passages. `ts_delete` detoasts the terms once for all items.
 */
export function ranked({ scope, expression, documents, items, extent, limit }: Ranking) {
  const score = items.map(
    ({ query, weight }) =>
      sql`${weight}::float8 * ts_rank(${WEIGHTS}::float4[], whole.terms, ${query}::tsquery)`,
  );
  const restriction: RawBuilder<unknown> =
    documents === undefined
      ? sql``
      : sql`passages.space_id = ${scope.spaceId} and passages.document = any(${documents}::bigint[]) and `;
  const length = sql`(1.3::float8 + 0.9::float8 * length(whole.terms) / ${extent.meanLength}::float8)`;
  return sql`
    with candidates as (
      select passages.document, passages.position, passages.terms
      from passages
      cross join lateral (
        select from documents
        where documents.space_id = passages.space_id and documents.number = passages.document
          and ${visible(scope)}
        limit 1
      ) as seen
      where ${restriction}passages.terms @@ ${expression}::tsquery
      limit ${sql.lit(MAX_SCORED)}
    ), hits as (
      select document, position, (${sql.join(score, sql` + `)}) / ${length} as score
      from candidates
      cross join lateral (select ts_delete(candidates.terms, '') as terms offset 0) as whole
      order by score desc, document, position
      limit ${limit}::bigint
    )
    select ${FOUND_DOCUMENT},
      hits.position, passages.heading, passages.text, hits.score
    from hits
    cross join lateral (${documentByKey(scope.spaceId, sql`hits.document`)}) as documents
    cross join lateral (${passageByKey(scope.spaceId, sql`hits.document`, sql`hits.position`)}) as passages
    order by hits.score desc, hits.document, hits.position`;
}
