import { termsOfCopied } from '../../full-text/copied-terms.ts';
import { titleText } from '../../full-text/indexed-passage.ts';
import type { CopyRow, CopyTable } from '../../ports/copy.ts';
import { ordinalArray, uuidArray } from '../event-log/binary-array.ts';
import type { Session } from '../pool.ts';

/** Maximum parameters per statement. The protocol allows up to 65,535. */
const MAX_PARAMETERS = 30_000;

/** Inserts rows within the session's transaction. The rows must not exist yet. */
export async function writeRows(
  session: Session,
  table: CopyTable,
  columns: readonly string[],
  rows: readonly CopyRow[],
): Promise<void> {
  if (table.name === 'passages') await writePassages(session, columns, rows);
  else await insert(session, table.name, columns, rows);
  if (table.name === 'event_batches') await insertIdentities(session, rows);
}

async function insert(
  session: Session,
  name: string,
  columns: readonly string[],
  rows: readonly CopyRow[],
): Promise<void> {
  const rowsPerStatement = Math.floor(MAX_PARAMETERS / columns.length);
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await insertSome(session, name, columns, rows.slice(from, from + rowsPerStatement));
}

async function insertSome(
  session: Session,
  name: string,
  columns: readonly string[],
  rows: readonly CopyRow[],
): Promise<void> {
  const tuples = rows.map(
    (_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join()})`,
  );
  const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
  await session.run(`insert into ${name} (${columns.join()}) values ${tuples.join()}`, values);
}

/** Writes passages and their term vectors. Drops passages of missing documents. */
async function writePassages(
  session: Session,
  columns: readonly string[],
  rows: readonly CopyRow[],
): Promise<void> {
  const { rows: found } = await session.run(
    `select number, file_name, title from documents
     where (space_id, number) in (select * from unnest($1::text[], $2::bigint[]))`,
    [rows.map((row) => row['space_id']), rows.map((row) => row['document'])],
  );
  const titles = new Map(
    found.map(({ number, file_name, title }) => [
      number,
      titleText({
        fileName: String(file_name),
        title: typeof title === 'string' ? title : null,
      }),
    ]),
  );
  const passages = rows.filter((row) => titles.has(row['document']));
  const terms = termsOfCopied(passages, (row) => titles.get(row['document']) ?? '');
  await insert(session, 'passages', columns, passages);
  await insert(
    session,
    'term_vectors',
    ['space_id', 'document', 'position', 'terms'],
    terms.map(({ passage, terms: bytes }) => ({ ...passage, terms: bytes })),
  );
}

async function insertIdentities(session: Session, rows: readonly CopyRow[]): Promise<void> {
  await session.run(
    `insert into event_identities (space_id, identity)
     select space_id, identity from unnest($1::uuid[], $2::integer[]) as one (identity, place)
     join unnest($3::uuid[]) with ordinality as batch (space_id, place) using (place)
     order by space_id, identity`,
    [
      uuidArray(rows.map((row) => row['identities'] as Uint8Array)),
      ordinalArray(rows.map((row) => Number(row['count']))),
      rows.map((row) => row['space_id']),
    ],
  );
}
