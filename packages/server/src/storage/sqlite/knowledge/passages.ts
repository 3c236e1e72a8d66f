import { sql } from 'kysely';
import type { WorkOwner } from '../../../lib/scheduling/index.ts';
import type { KnowledgeEngine, StoredPassage } from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import type { Read } from '../dialect.ts';
import { toSqlite } from '../statements.ts';
import { permits } from './permits.ts';
import { MAX_PASSAGES } from './rowids.ts';

/** Creates the reads of a document's passages. Rowids exceed the integer range of doubles, so they are never read into JavaScript. */
export function createPassageReads(
  db: KnowledgeDatabase,
  readFor: (owner: WorkOwner) => Read,
): KnowledgeEngine['passages'] {
  return async (scope, documentId, from, limit) => {
    // A negative position would select passages of another document.
    const first = Math.max(0, from);
    const query = sql`
      select passages.id % ${sql.lit(MAX_PASSAGES)} as position, passages.heading, passages.text
      from documents
      cross join passages on passages.id
        between documents.number * ${sql.lit(MAX_PASSAGES)} + cast(${first} as integer)
        and documents.number * ${sql.lit(MAX_PASSAGES)} + ${sql.lit(MAX_PASSAGES - 1)}
      where documents.space_id = ${scope.spaceId} and documents.id = ${documentId}
        and documents.state = 'ready' and ${permits(scope)}
      order by passages.id
      limit ${limit}`;
    const { sql: text, parameters } = query.compile(db);
    const { rows } = await readFor(scope)(text, toSqlite(parameters));
    return rows as unknown as StoredPassage[];
  };
}
