import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { termsOfCopied } from '../../full-text/copied-terms.ts';
import { titleText } from '../../full-text/indexed-passage.ts';
import type { CopyRow, CopyTable } from '../../ports/copy.ts';
import { rowidsOfDocument } from '../knowledge/rowids.ts';
import { columnsOf } from './read-rows.ts';

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

function writePassages(db: DatabaseSync, rows: readonly CopyRow[]): void {
  const owner = db.prepare('select file_name as fileName, title from documents where number = ?');
  const insertPassage = db.prepare('insert into passages (id, heading, text) values (?, ?, ?)');
  const insertTerms = db.prepare('insert into term_vectors (id, terms) values (?, ?)');
  for (const row of rows)
    insertPassage.run(rowidOf(row), row['heading'] ?? null, String(row['text']));
  const titleOf = (row: CopyRow) => {
    const { fileName, title } = owner.get(Number(row['document'])) ?? {};
    return titleText({
      fileName: String(fileName),
      title: typeof title === 'string' ? title : null,
    });
  };
  for (const { passage, terms } of termsOfCopied(rows, titleOf))
    insertTerms.run(rowidOf(passage), terms);
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
