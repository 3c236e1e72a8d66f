import { type RawBuilder, sql } from 'kysely';
import { FOUND_DOCUMENT } from '../../full-text/found-document.ts';
import type { KnowledgeDatabase } from '../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { Select } from '../reads/select-thread.ts';
import { toSqlite } from '../statements.ts';
import { permitsRow } from './permits.ts';
import { MAX_PASSAGES } from './rowids.ts';

/** The statements with which a search thread reads a scope. `ScopeStatements` runs them. */
export interface ScopeSelects {
  /** Selects the numbers of the ready documents that satisfy the condition. */
  readonly candidates: Select;
  /** Selects the numbers of the ready documents in the scope that are in a JSON array, which is the first parameter. */
  readonly among: Select;
  /**
   * Selects passages in the scope. The first parameter is a JSON array of objects with a document number and a position. The
   * column `rank` is the index in this array.
   */
  readonly passages: Select;
}

const PER_DOCUMENT = sql.lit(MAX_PASSAGES);
/** Initial value of a parameter that the thread replaces with a JSON array. */
const PLACEHOLDER = '[]';

/**
 * @param candidates condition that holds for every document of the scope, and possibly for others.
 * @param columns additional columns of the passages. Each ends with a comma.
 */
export function selectsOf(
  db: KnowledgeDatabase,
  scope: KnowledgeScope,
  candidates: RawBuilder<boolean>,
  columns: RawBuilder<unknown> = sql``,
): ScopeSelects {
  const select = (query: RawBuilder<unknown>): Select => {
    const { sql: text, parameters } = query.compile(db);
    return { sql: text, parameters: toSqlite(parameters) };
  };
  return {
    candidates: select(documentsWith(scope, candidates)),
    among: select(documentsAmong(scope)),
    passages: select(passagesOf(scope, columns)),
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

function passagesOf(scope: KnowledgeScope, columns: RawBuilder<unknown>) {
  return sql`
    select ${FOUND_DOCUMENT}, ${columns}
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
