import { type RawBuilder, sql } from 'kysely';
import { FOUND_DOCUMENT } from '../../../full-text/found-document.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import {
  documentByKey,
  likelyDocuments,
  mayBeVisible,
  mayPermit,
  passageByKey,
  rowsOf,
} from './scope-documents.ts';

export interface Select {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The statements with which a search thread reads a scope. `scopeReads` runs them. */
export interface ScopeSelects {
  readonly spaceId: string;
  /** JSON of the filter. Identifies the scope within its space. */
  readonly filter: string;
  /**
   * Selects the numbers of all ready documents in the scope, as one value. If `among` is `null`, also selects other documents. `null` if the
   * caller has not built the statement.
   */
  readonly candidates: Select | null;
  /**
   * Selects the numbers of the ready documents in the scope that are in an array, which is the first parameter. `null` if the filter is
   * large, so the thread must test documents with `CompiledFilters`.
   */
  readonly among: Select | null;
  /**
   * Selects `PassageRow`s. The first two parameters are arrays of the numbers and positions of `PassageKey`s. Selects only passages in the
   * scope, unless `among` is `null`.
   */
  readonly passages: Select;
}

/** Initial value of a parameter that the thread replaces with an array. */
export const PLACEHOLDER: readonly number[] = [];

export function toSelect(db: KnowledgeDatabase, query: RawBuilder<unknown>): Select {
  const { sql: text, parameters } = query.compile(db);
  return { sql: text, parameters };
}

/** Returns the statements of a scope, without `candidates`. */
export function selectsOf(db: KnowledgeDatabase, scope: KnowledgeScope): ScopeSelects {
  return {
    spaceId: scope.spaceId,
    filter: JSON.stringify(scope.filter),
    candidates: null,
    among: mayPermit(scope).isExact ? toSelect(db, documentsAmong(scope)) : null,
    passages: toSelect(db, passagesOf(scope)),
  };
}

/** Builds the statement `candidates`. */
export async function candidatesOf(db: KnowledgeDatabase, scope: KnowledgeScope): Promise<Select> {
  return toSelect(db, documentsOf(scope, await likelyDocuments(scope, rowsOf(db))));
}

function documentsOf(scope: KnowledgeScope, likely: RawBuilder<unknown>) {
  return sql`
    select string_agg(int8send(documents.number), ''::bytea) as numbers
    from ${likely} as documents
    where ${mayBeVisible(scope)}`;
}

function documentsAmong(scope: KnowledgeScope) {
  const document = documentByKey(scope.spaceId, sql`one.number`);
  return sql`
    select documents.number
    from unnest(${PLACEHOLDER}::bigint[]) as one (number)
    cross join lateral (${document}) as documents
    where ${mayBeVisible(scope)}`;
}

function passagesOf(scope: KnowledgeScope) {
  const document = documentByKey(scope.spaceId, sql`one.document`);
  const passage = passageByKey(scope.spaceId, sql`one.document`, sql`one.position`);
  return sql`
    select ${FOUND_DOCUMENT}, documents.title as "indexedTitle",
      one.position, passages.heading, passages.text, one.place - 1 as rank
    from unnest(${PLACEHOLDER}::bigint[], ${PLACEHOLDER}::int[]) with ordinality as one (document, position, place)
    cross join lateral (${document}) as documents
    cross join lateral (${passage}) as passages
    where ${mayBeVisible(scope)}
    order by one.place`;
}
