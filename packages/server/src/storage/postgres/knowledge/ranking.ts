import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { Extent } from './counts.ts';
import { documentByKey, passageByKey, visible } from './scope-documents.ts';
import type { ScoredItem } from './search-terms.ts';

export interface Ranking {
  readonly scope: KnowledgeScope;
  /** Text of a `tsquery` that finds the candidates. */
  readonly expression: string;
  /** Numbers of documents to which the search is narrowed. */
  readonly documents?: readonly number[];
  readonly items: readonly ScoredItem[];
  readonly extent: Extent;
  readonly limit: number;
}

/**
 * What an occurrence in the text (D), the heading (C) and the title (B) is worth: as BM25 has it for the weights
 * that the embedded store has, 1, 3 and 2. `ts_rank` takes numbers up to 1.
 */
const WEIGHTS = sql.lit(`{${1 / 1.57}, 1, ${1.375 / 1.57}, 0}`);
/** Of candidates that a scope lets through; more are not given a score, since they have no more of the query than these. */
const MOST_SCORED = 20_000;

/**
 * A sum of inverse document frequencies, each times how often and where the term stands, which `ts_rank` makes less
 * of the oftener it does, as BM25 does; and less in a longer passage.
 *
 * What PostgreSQL knows of a table may be old, and a plan that goes by it a thousand times too slow. So this leaves it
 * one way: the full-text index leads, whose lexemes name the space; a passage's document is asked by its key; and one
 * that the scope lets through gets a score. The scope is in the statement that gives scores and cuts off, and before
 * both, so that what it hides takes no place. `ts_delete` is there for what it does before: it takes the terms out of
 * their own table once for all items.
 */
export function ranked({ scope, expression, documents, items, extent, limit }: Ranking) {
  const score = items.map(
    ({ query, weight }) =>
      sql`${weight}::float8 * ts_rank(${WEIGHTS}::float4[], whole.terms, ${query}::tsquery)`,
  );
  const narrowed: RawBuilder<unknown> =
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
      where ${narrowed}passages.terms @@ ${expression}::tsquery
      limit ${sql.lit(MOST_SCORED)}
    ), hits as (
      select document, position, (${sql.join(score, sql` + `)}) / ${length} as score
      from candidates
      cross join lateral (select ts_delete(candidates.terms, '') as terms offset 0) as whole
      order by score desc, document, position
      limit ${limit}::bigint
    )
    select documents.id as "documentId", documents.file_name as "fileName", documents.metadata,
      hits.position, passages.heading, passages.text, hits.score
    from hits
    cross join lateral (${documentByKey(scope.spaceId, sql`hits.document`)}) as documents
    cross join lateral (${passageByKey(scope.spaceId, sql`hits.document`, sql`hits.position`)}) as passages
    order by hits.score desc, hits.document, hits.position`;
}
