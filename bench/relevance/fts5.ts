import { DatabaseSync } from 'node:sqlite';
import { HITS, type Passage, type Rank } from './collection.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the FTS5 expression that matches texts with any word of a query. Returns `null` if there are no words. */
export function anyWord(text: string): string | null {
  const words = Array.from(text.matchAll(WORD), ([word]) => `"${word}"`);
  return words.length === 0 ? null : words.join(' OR ');
}

/** Returns the ranking of a hand-written FTS5 table with SQLite's English stemmer. A passage matches if it contains any word. */
export function fts5Porter(passages: readonly Passage[]): Rank {
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
    order by bm25(passage, 2, 3, 1), rowid limit ${HITS}
  `);
  return (text) => {
    const expression = anyWord(text);
    if (expression === null) return [];
    return select.all(expression).map(({ rowid }) => passages[Number(rowid)]?.unit ?? '');
  };
}
