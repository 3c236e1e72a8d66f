import type { SQLInputValue } from 'node:sqlite';
import { type RawBuilder, sql } from 'kysely';
import { FOUND_DOCUMENT } from '../../full-text/found-document.ts';
import type { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import { toSqlite } from '../statements.ts';
import { mayPermit, permitsRow } from './permits.ts';
import { MAX_PASSAGES } from './rowids.ts';

/** A long text. The statements share the object, so it is sent to the thread only once. */
export interface SharedText {
  readonly text: string;
}

export interface ScopeSelect {
  readonly sql: string;
  readonly parameters: readonly (SQLInputValue | SharedText)[];
}

/** The statements with which a search thread reads a scope. `ScopeStatements` runs them. */
export interface ScopeSelects {
  /** Selects the numbers of all ready documents in the scope, and of others unless `isExact` is `true`. */
  readonly candidates: ScopeSelect;
  readonly isExact: boolean;
  /** Selects the numbers of the ready documents in the scope that are in a JSON array, which is the first parameter. */
  readonly among: ScopeSelect;
  /**
   * Selects `PassageRow`s in the scope. The first parameter is a JSON array of objects with a document number and a position. The
   * column `rank` is the index in this array.
   */
  readonly passages: ScopeSelect;
}

const PER_DOCUMENT = sql.lit(MAX_PASSAGES);
/** Initial value of a parameter that the thread replaces with a JSON array. */
const PLACEHOLDER = '[]';
/** Minimum length of a shared text, in UTF-16 code units. */
const MIN_SHARED = 1000;

export function selectsOf(db: KnowledgeDatabase, scope: KnowledgeScope): ScopeSelects {
  const shared = new Map<string, SharedText>();
  const share = (value: SQLInputValue): SQLInputValue | SharedText => {
    if (typeof value !== 'string' || value.length < MIN_SHARED) return value;
    const text = shared.get(value) ?? { text: value };
    shared.set(value, text);
    return text;
  };
  const select = (query: RawBuilder<unknown>): ScopeSelect => {
    const { sql: text, parameters } = query.compile(db);
    return { sql: text, parameters: toSqlite(parameters).map(share) };
  };
  const { condition, isExact } = mayPermit(scope);
  return {
    candidates: select(documentsWith(scope, condition)),
    isExact,
    among: select(documentsAmong(scope)),
    passages: select(passagesOf(scope)),
  };
}

function documentsWith({ spaceId }: KnowledgeScope, condition: RawBuilder<boolean>) {
  return sql`select documents.number from documents
    where documents.space_id = ${spaceId} and documents.state = 'ready' and ${condition}`;
}

function documentsAmong(scope: KnowledgeScope) {
  return sql`
    select documents.number
    from json_each(${PLACEHOLDER}) as one
    cross join documents on documents.number = one.value
    where ${isVisible(scope)}`;
}

function passagesOf(scope: KnowledgeScope) {
  return sql`
    select ${FOUND_DOCUMENT}, documents.title as "indexedTitle",
      one.value ->> 'position' as position, passages.heading, passages.text, one.key as rank
    from json_each(${PLACEHOLDER}) as one
    cross join documents on documents.number = one.value ->> 'number'
    cross join passages on passages.id
      = documents.number * ${PER_DOCUMENT} + (one.value ->> 'position')
    where ${isVisible(scope)}
    order by one.key`;
}

function isVisible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permitsRow(scope)}`;
}
