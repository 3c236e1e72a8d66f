import { DatabaseSync } from 'node:sqlite';
import type { Passage } from './collection.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the ranking of a hand-written FTS5 table with SQLite's English stemmer. A passage matches if it contains any word. */
export function fts5Porter(passages: readonly Passage[]): (text: string) => string[] {
  const database = new DatabaseSync(':memory:');
  database.exec(
    `create virtual table passage using fts5 (title, heading, body, tokenize = 'porter unicode61')`,
  );
  const insert = database.prepare(
    'insert into passage (rowid, title, heading, body) values (?, ?, ?, ?)',
  );
  for (const [index, { title, heading, body }] of passages.entries())
    insert.run(index, title, heading, body);
  const select = database.prepare(`
    select rowid from passage where passage match ?
    order by bm25(passage, 2, 3, 1), rowid limit 10
  `);
  return (text) => {
    const words = Array.from(text.matchAll(WORD), ([word]) => `"${word}"`);
    if (words.length === 0) return [];
    return select.all(words.join(' OR ')).map(({ rowid }) => passages[Number(rowid)]?.id ?? '');
  };
}
