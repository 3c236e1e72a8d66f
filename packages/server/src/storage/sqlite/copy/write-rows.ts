import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { indexedPassages } from '../../full-text/indexed-passage.ts';
import type { CopyRow, CopyTable } from '../../ports/copy.ts';
import { rowidsOfDocument } from '../knowledge/rowids.ts';
import { columnsOf } from './read-rows.ts';

/** Writes rows that are not there; inside of a transaction. */
export function writeRows(db: DatabaseSync, table: CopyTable, rows: readonly CopyRow[]): void {
  if (table.name === 'passages') writePassages(db, rows);
  else if (table.ofDocument === 'position') writeByRowid(db, table, rows);
  else insert(db, table.name, columnsOf(db, table), rows);
}

function writeByRowid(db: DatabaseSync, table: CopyTable, rows: readonly CopyRow[]): void {
  const columns = columnsOf(db, table).filter((column) => !table.key.includes(column));
  insert(
    db,
    table.name,
    ['id', ...columns],
    rows.map((row) => ({ ...row, id: rowidOf(row) })),
  );
}

/** The terms are made anew, as for a document that was just read. */
function writePassages(db: DatabaseSync, rows: readonly CopyRow[]): void {
  const owner = db.prepare('select file_name as fileName, title from documents where number = ?');
  const keep = db.prepare('insert into passages (id, heading, text) values (?, ?, ?)');
  const index = db.prepare(
    'insert into passages_fts (rowid, title, heading, body) values (?, ?, ?, ?)',
  );
  for (const row of rows) {
    const number = Number(row['document']);
    const { fileName, title } = owner.get(number) ?? {};
    const heading = row['heading'] as string | null;
    const passage = { heading: heading === null ? [] : [heading], text: String(row['text']) };
    const of = { spaceId: '', number, fileName: String(fileName), title: title as string | null };
    const [made] = indexedPassages(of, Number(row['position']), [passage]);
    if (made === undefined) continue;
    const id = rowidOf(row);
    keep.run(id, made.heading, made.text);
    index.run(id, made.titleTerms, made.headingTerms, made.bodyTerms);
  }
}

function rowidOf(row: CopyRow): bigint {
  return rowidsOfDocument(Number(row['document']), Number(row['position']))[0];
}

function insert(
  db: DatabaseSync,
  name: string,
  columns: readonly string[],
  rows: readonly Readonly<Record<string, SQLInputValue>>[],
): void {
  const statement = db.prepare(
    `insert into ${name} (${columns}) values (${columns.map(() => '?')})`,
  );
  for (const row of rows) statement.run(...columns.map((column) => row[column] ?? null));
}
