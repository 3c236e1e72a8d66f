import { sql } from 'kysely';
import type { KnowledgeDatabase, Write } from '../../storage/ports/index.ts';

/** A scalar in a document's metadata and the path of the scalar. Filters look up documents by these values. */
export interface IndexedValue {
  readonly path: string;
  readonly value: string;
}

export interface ValueOwner {
  readonly spaceId: string;
  readonly number: number;
}

const ROWS_PER_STATEMENT = 500;

/** Replaces the values of a document. `old` must be the stored values. */
export async function replaceValues(
  trx: KnowledgeDatabase,
  owner: ValueOwner,
  old: readonly IndexedValue[],
  values: readonly IndexedValue[],
): Promise<void> {
  for (const write of valueWrites(trx, owner, old, values)) await trx.executeQuery(write.compile());
}

/** Returns the writes of `replaceValues`. */
export function valueWrites(
  db: KnowledgeDatabase,
  { spaceId, number }: ValueOwner,
  old: readonly IndexedValue[],
  values: readonly IndexedValue[],
): Write[] {
  const writes: Write[] = [];
  const newKeys = new Set(values.map(keyOf));
  const oldKeys = new Set(old.map(keyOf));
  const removed = old.filter((value) => !newKeys.has(keyOf(value)));
  for (let at = 0; at < removed.length; at += ROWS_PER_STATEMENT) {
    const keys = removed
      .slice(at, at + ROWS_PER_STATEMENT)
      .map(({ path, value }) => sql`(${spaceId}, ${path}, ${value}, cast(${number} as bigint))`);
    const query = sql`delete from document_values
      where (space_id, path, value, document) in (values ${sql.join(keys)})`;
    writes.push({ compile: () => query.compile(db) });
  }
  const rows = values
    .filter((value) => !oldKeys.has(keyOf(value)))
    .map(({ path, value }) => ({ space_id: spaceId, path, value, document: number }));
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    writes.push(
      db
        .insertInto('document_values')
        .values(rows.slice(at, at + ROWS_PER_STATEMENT))
        .onConflict((conflict) => conflict.doNothing()),
    );
  }
  return writes;
}

function keyOf({ path, value }: IndexedValue): string {
  return JSON.stringify([path, value]);
}
