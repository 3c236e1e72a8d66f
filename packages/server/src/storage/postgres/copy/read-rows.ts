import { fromStored, type StoredTexts, toStored } from '../../event-log/stored-texts.ts';
import type { CopyKey, CopyRow, CopyTable } from '../../ports/copy.ts';
import type { Pool, Row } from '../pool.ts';

/** Rows per page. Tables whose rows can be several megabytes use the smaller limit. */
const ROWS_PER_PAGE = 500;
const HEAVY_ROWS_PER_PAGE = 16;

/** Returns the columns to copy: all except generated columns. */
export async function columnsOf(
  pool: Pool,
  { name, columns }: CopyTable,
): Promise<readonly string[]> {
  if (columns !== undefined) return columns;
  const { rows } = await pool.read(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'
     order by column_name collate "C"`,
    [name],
  );
  return rows.map((row) => String(row['name']));
}

export async function* readRows(
  pool: Pool,
  table: CopyTable,
  columns: readonly string[],
  after: CopyKey | null,
): AsyncGenerator<readonly CopyRow[]> {
  const selected = columns.map((column) => columnExpression(table, column)).join();
  if (table.ofDocument === undefined) yield* pages(pool, table, selected, after);
  else yield* merged(ofDocuments(pool, table, selected, after), limitOf(table));
}

/** Merges small pages, because each page is written in a transaction and most documents have few rows. */
async function* merged(
  pages: AsyncIterable<readonly CopyRow[]>,
  limit: number,
): AsyncGenerator<readonly CopyRow[]> {
  let batch: CopyRow[] = [];
  for await (const page of pages) {
    batch.push(...page);
    if (batch.length < limit) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function limitOf({ isHeavy }: CopyTable): number {
  return isHeavy === true ? HEAVY_ROWS_PER_PAGE : ROWS_PER_PAGE;
}

async function* pages(
  pool: Pool,
  table: CopyTable,
  selected: string,
  start: CopyKey | null,
): AsyncGenerator<readonly CopyRow[]> {
  const { name, key, outlivesSpace } = table;
  const limit = limitOf(table);
  const known = name === 'event_batches' ? ', known' : '';
  for (let after = start; ; ) {
    const places = key.map((_, index) => `$${index + 1}`);
    const conditions = [
      ...(after === null ? [] : [`(${key.join()}) > (${places.join()})`]),
      ...(outlivesSpace === true ? ['space_id in (select id from spaces)'] : []),
    ];
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    const { rows } = await pool.read(
      `select ${selected}${known} from ${name} ${where} order by ${key.join()} limit ${limit}`,
      [...(after ?? [])],
    );
    if (rows.length > 0) yield known === '' ? (rows as CopyRow[]) : rows.map(withoutDuplicates);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = key.map((column) => last[column] as string | number);
  }
}

/** Reads rows document by document, in the order in which SQLite stores them. */
async function* ofDocuments(
  pool: Pool,
  table: CopyTable,
  selected: string,
  after: CopyKey | null,
): AsyncGenerator<readonly CopyRow[]> {
  const { name, ofDocument } = table;
  const [space = '', document = 0, position = -1] = after ?? [];
  const limit = limitOf(table);
  for await (const { space_id, number } of documentsFrom(pool, space, document, ofDocument)) {
    let from = space_id === space && number === document ? Number(position) + 1 : 0;
    for (;;) {
      const { rows } = await pool.read(
        `select ${selected} from ${name} where space_id = $1 and document = $2 and ${ofDocument} >= $3
         order by ${ofDocument} limit ${limit}`,
        [space_id, number, from],
      );
      if (rows.length > 0) yield rows as CopyRow[];
      if (rows.length < limit) break;
      from = Number(rows.at(-1)?.[ofDocument as string]) + 1;
    }
  }
}

/**
 * Yields the documents whose rows are copied. Passages are copied only for ready documents, because all other documents are
 * indexed again after the copy. Originals are also copied for earlier versions.
 */
async function* documentsFrom(
  pool: Pool,
  space: string | number,
  document: string | number,
  ofDocument: CopyTable['ofDocument'],
): AsyncGenerator<Row> {
  const documents =
    ofDocument === 'position'
      ? "(select space_id, number from documents where state = 'ready') as one"
      : `(select space_id, number from documents
          union select space_id, content from document_versions) as one`;
  let sign = '>=';
  for (let [spaceId, number] = [space, document]; ; ) {
    const { rows } = await pool.read(
      `select space_id, number from ${documents} where (space_id, number) ${sign} ($1, $2)
       and space_id in (select id from spaces) order by space_id, number limit ${ROWS_PER_PAGE}`,
      [spaceId, number],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    [spaceId, number] = [String(last['space_id']), Number(last['number'])];
    sign = '>';
  }
}

const DERIVED_JSON: ReadonlySet<string> = new Set(['metadata_folded', 'metadata_collected']);

/** Selects `jsonb` as text. */
function columnExpression({ name }: CopyTable, column: string): string {
  return name === 'documents' && DERIVED_JSON.has(column) ? `${column}::text` : column;
}

const KEY_BYTES = 16;
const END_BYTES = 4;

/** Removes duplicate events from a batch row, because the embedded store does not store duplicates. */
function withoutDuplicates({ known, ...row }: Row): CopyRow {
  const batch = row as CopyRow;
  const places = known as readonly number[] | null;
  return places === null ? batch : { ...batch, ...removeEvents(batch, new Set(places)) };
}

function removeEvents(batch: CopyRow, known: ReadonlySet<number>): CopyRow {
  const ends = batch['ends'] as Buffer;
  const identities = batch['identities'] as Buffer;
  const stored = { encoding: batch['encoding'], bytes: batch['texts'] } as StoredTexts;
  const texts = fromStored(stored);
  const endOf = (place: number) => (place < 0 ? 0 : ends.readUInt32LE(place * END_BYTES));
  const places = Array.from({ length: ends.byteLength / END_BYTES }, (_, place) => place);
  const fresh = places.filter((place) => !known.has(place));
  const kept = fresh.map((place) => texts.subarray(endOf(place - 1), endOf(place)));
  const newEnds = Buffer.alloc(fresh.length * END_BYTES);
  let end = 0;
  for (const [index, text] of kept.entries()) {
    end += text.byteLength;
    newEnds.writeUInt32LE(end, index * END_BYTES);
  }
  const packed = toStored(Buffer.concat(kept));
  return {
    identities: Buffer.concat(
      fresh.map((place) => identities.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES)),
    ),
    ends: newEnds,
    encoding: packed.encoding,
    texts: packed.bytes,
  };
}
