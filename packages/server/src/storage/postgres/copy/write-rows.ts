import { indexedPassages } from '../../full-text/indexed-passage.ts';
import type { CopyRow, CopyTable } from '../../ports/copy.ts';
import { placeArray, uuidArray } from '../event-log/binary-array.ts';
import { vectorOf } from '../knowledge/lexemes.ts';
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
  if (table.name === 'passages')
    await insert(session, table.name, [...columns, 'terms'], await withTerms(session, rows));
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

/** Adds the full-text vector to each passage and drops passages of missing documents. */
async function withTerms(session: Session, rows: readonly CopyRow[]): Promise<CopyRow[]> {
  const { rows: found } = await session.run(
    `select documents.space_id, documents.number, file_name, title, knowledge_spaces.number as space
     from documents join knowledge_spaces using (space_id)
     where (documents.space_id, documents.number) in (
       select * from unnest($1::text[], $2::bigint[])
     )`,
    [rows.map((row) => row['space_id']), rows.map((row) => row['document'])],
  );
  const owners = new Map(found.map((row) => [row['number'], row]));
  return rows.flatMap((row) => {
    const owner = owners.get(row['document']);
    if (owner === undefined) return [];
    const heading = row['heading'] as string | null;
    const passage = { heading: heading === null ? [] : [heading], text: String(row['text']) };
    const of = {
      spaceId: String(owner['space_id']),
      number: Number(owner['number']),
      fileName: String(owner['file_name']),
      title: owner['title'] as string | null,
    };
    const [made] = indexedPassages(of, Number(row['position']), [passage]);
    return made === undefined ? [] : [{ ...row, terms: vectorOf(Number(owner['space']), made) }];
  });
}

async function insertIdentities(session: Session, rows: readonly CopyRow[]): Promise<void> {
  await session.run(
    `insert into event_identities (space_id, identity)
     select space_id, identity from unnest($1::uuid[], $2::integer[]) as one (identity, place)
     join unnest($3::uuid[]) with ordinality as batch (space_id, place) using (place)
     order by space_id, identity`,
    [
      uuidArray(rows.map((row) => row['identities'] as Uint8Array)),
      placeArray(rows.map((row) => Number(row['count']))),
      rows.map((row) => row['space_id']),
    ],
  );
}
