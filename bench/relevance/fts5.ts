import { DatabaseSync } from 'node:sqlite';
import {
  FTS5_TOKENIZE,
  indexedText,
  type Query,
  toFts5,
} from '../../packages/server/src/lib/text/index.ts';
import type { Passage } from './collection.ts';

export interface Weights {
  readonly title: number;
  readonly heading: number;
  readonly body: number;
}

/** A table of all passages in memory, and the ids of the ten best for a query. */
export function fts5Index(passages: readonly Passage[]) {
  const database = new DatabaseSync(':memory:');
  database.exec(
    `create virtual table passage using fts5 (title, heading, body, tokenize = "${FTS5_TOKENIZE}")`,
  );
  const insert = database.prepare(
    'insert into passage (rowid, title, heading, body) values (?, ?, ?, ?)',
  );
  for (const [index, { title, heading, body }] of passages.entries()) {
    insert.run(index, indexedText(title), indexedText(heading), indexedText(body));
  }
  const select = database.prepare(`
    select rowid from passage where passage match ?
    order by bm25(passage, ?, ?, ?), rowid limit 10
  `);
  return (query: Query, { title, heading, body }: Weights): string[] =>
    select
      .all(toFts5(query), title, heading, body)
      .map(({ rowid }) => (passages[Number(rowid)] as Passage).id);
}
