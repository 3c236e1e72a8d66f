import { sql } from 'kysely';
import type { KnowledgeDatabase } from '../ports/knowledge-engine.ts';

/** A scalar of a document's metadata and where it stands, by which filters find the document. */
export interface IndexedValue {
  readonly path: string;
  readonly value: string;
}

export interface ValueOwner {
  readonly spaceId: string;
  readonly number: number;
}

const ROWS_PER_STATEMENT = 500;

/** Makes a document's values these; `old` are those that it has. */
export async function replaceValues(
  trx: KnowledgeDatabase,
  { spaceId, number }: ValueOwner,
  old: readonly IndexedValue[],
  values: readonly IndexedValue[],
): Promise<void> {
  const kept = new Set(values.map(keyOf));
  const there = new Set(old.map(keyOf));
  const gone = old.filter((one) => !kept.has(keyOf(one)));
  for (let at = 0; at < gone.length; at += ROWS_PER_STATEMENT) {
    const keys = gone
      .slice(at, at + ROWS_PER_STATEMENT)
      .map(({ path, value }) => sql`(${spaceId}, ${path}, ${value}, cast(${number} as bigint))`);
    await sql`delete from document_values
      where (space_id, path, value, document) in (values ${sql.join(keys)})`.execute(trx);
  }
  const rows = values
    .filter((one) => !there.has(keyOf(one)))
    .map(({ path, value }) => ({ space_id: spaceId, path, value, document: number }));
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await trx
      .insertInto('document_values')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

function keyOf({ path, value }: IndexedValue): string {
  return JSON.stringify([path, value]);
}
