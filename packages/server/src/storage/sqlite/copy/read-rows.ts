import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { CopyKey, CopyRow, CopyTable } from '../../ports/copy.ts';
import { MAX_PASSAGES } from '../knowledge/rowids.ts';

const MAX_ROWS = 500;
const MAX_BYTES = 2 * 1024 * 1024;

/** Tables whose key is a passage's rowid instead of space, document and position. */
const BY_ROWID: ReadonlySet<string> = new Set([
  'passages',
  'document_sketches',
  'document_vectors',
]);

/** Passages are copied only for ready documents, because all other documents are indexed again after the copy. */
const READY = "select space_id, number from documents where state = 'ready'";
/** Earlier versions have originals too. */
const WITH_ORIGINAL = `select space_id, number from documents
  union select space_id, content from document_versions`;

export function columnsOf(db: DatabaseSync, { name, columns }: CopyTable): readonly string[] {
  if (columns !== undefined) return columns;
  const rows = db.prepare('select name from pragma_table_info(?) order by name').all(name);
  return rows.map((row) => String(row['name']));
}

export async function* readRows(
  db: DatabaseSync,
  table: CopyTable,
  after: CopyKey | null,
): AsyncGenerator<readonly CopyRow[]> {
  const found =
    table.ofDocument === undefined ? select(db, table, after) : ofDocuments(db, table, after);
  let chunk: CopyRow[] = [];
  let bytes = 0;
  for (const row of found) {
    chunk.push(row);
    bytes += sizeOf(row);
    if (chunk.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

function* select(
  db: DatabaseSync,
  table: CopyTable,
  after: CopyKey | null,
): Generator<CopyRow, void> {
  const { name, key, outlivesSpace } = table;
  const conditions = [
    ...(after === null ? [] : [`(${key}) > (${key.map(() => '?')})`]),
    ...(outlivesSpace === true ? ['space_id in (select id from spaces)'] : []),
    // After retention removes events, their rows contain only identities, which are copied separately.
    ...(name === 'event_batches' ? ['count > 0'] : []),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const sql = `select ${columnsOf(db, table)} from ${name} ${where} order by ${key}`;
  yield* iterate(db, sql, after ?? []);
}

/** Reads the rows one document at a time, because the keys of a document's rows are one contiguous range. */
function* ofDocuments(
  db: DatabaseSync,
  table: CopyTable,
  after: CopyKey | null,
): Generator<CopyRow, void> {
  const [space = '', document = 0, position = -1] = after ?? [];
  const { name, ofDocument } = table;
  const columns = columnsOf(db, table).filter((column) => column !== 'space_id');
  const sql = BY_ROWID.has(name)
    ? `select ${columns.map(toColumn)} from ${name} where id between (? * ${MAX_PASSAGES}) + ? and (? * ${MAX_PASSAGES}) + ${MAX_PASSAGES - 1} order by id`
    : `select ${columns} from ${name} where space_id = ? and document = ? and ${ofDocument} >= ? order by ${ofDocument}`;
  const documents = db
    .prepare(
      `select space_id, number from (${ofDocument === 'position' ? READY : WITH_ORIGINAL}) where (space_id, number) >= (?, ?)
       and space_id in (select id from spaces) order by space_id, number`,
    )
    .all(space, document);
  for (const { space_id, number } of documents) {
    const from = space_id === space && number === document ? Number(position) + 1 : 0;
    const documentNumber = BigInt(Number(number));
    const parameters = BY_ROWID.has(name)
      ? [documentNumber, BigInt(from), documentNumber]
      : [space_id as string, number as number, from];
    for (const row of iterate(db, sql, parameters)) yield { ...row, space_id: space_id as string };
  }
}

function toColumn(column: string): string {
  if (column === 'document') return `id / ${MAX_PASSAGES} as document`;
  return column === 'position' ? `id % ${MAX_PASSAGES} as position` : column;
}

function iterate(
  db: DatabaseSync,
  sql: string,
  parameters: readonly SQLInputValue[],
): Iterable<CopyRow> {
  return db.prepare(sql).iterate(...parameters) as Iterable<CopyRow>;
}

function sizeOf(row: CopyRow): number {
  let bytes = 0;
  for (const value of Object.values(row))
    if (value instanceof Uint8Array) bytes += value.byteLength;
    else if (typeof value === 'string') bytes += value.length;
  return bytes;
}
