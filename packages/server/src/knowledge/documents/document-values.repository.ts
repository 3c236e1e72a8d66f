import { sql } from 'kysely';
import type { KnowledgeDatabase, Write } from '../../storage/ports/index.ts';

/** A scalar of a document's metadata and its path, by which filters find the document. */
export interface IndexedValue {
  readonly path: string;
  readonly value: string;
}

export interface ValueOwner {
  readonly spaceId: string;
  readonly number: number;
}

const ROWS_PER_STATEMENT = 500;

/** Replaces the `old` values of a document. */
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
  const kept = new Set(values.map(keyOf));
  const there = new Set(old.map(keyOf));
  const gone = old.filter((one) => !kept.has(keyOf(one)));
  for (let at = 0; at < gone.length; at += ROWS_PER_STATEMENT) {
    const keys = gone
      .slice(at, at + ROWS_PER_STATEMENT)
      .map(({ path, value }) => sql`(${spaceId}, ${path}, ${value}, cast(${number} as bigint))`);
    const query = sql`delete from document_values
      where (space_id, path, value, document) in (values ${sql.join(keys)})`;
    writes.push({ compile: () => query.compile(db) });
  }
  const rows = values
    .filter((one) => !there.has(keyOf(one)))
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
