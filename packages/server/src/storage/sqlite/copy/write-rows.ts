import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { titleText } from '../../full-text/indexed-passage.ts';
import { encodeTermVectors } from '../../full-text/ranking/index.ts';
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
  for (const chunk of consecutive(rows)) {
    const [first] = chunk;
    if (first === undefined) continue;
    const { fileName, title } = owner.get(Number(first['document'])) ?? {};
    const indexedTitle = titleText({
      fileName: String(fileName),
      title: typeof title === 'string' ? title : null,
    });
    const texts = chunk.map(({ heading, text }) => ({
      title: indexedTitle,
      heading: typeof heading === 'string' ? heading : '',
      body: String(text),
    }));
    insertTerms.run(rowidOf(first), encodeTermVectors(texts));
  }
}

/** Divides passages, which are ordered, into groups of consecutive passages of the same document. */
function consecutive(rows: readonly CopyRow[]): CopyRow[][] {
  const groups: CopyRow[][] = [];
  let next: bigint | null = null;
  for (const row of rows) {
    const id = rowidOf(row);
    if (id === next) groups.at(-1)?.push(row);
    else groups.push([row]);
    next = id + 1n;
  }
  return groups;
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
