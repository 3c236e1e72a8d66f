import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import { FIELD_WEIGHTS } from '../../../packages/server/src/storage/full-text/terms/index.ts';
import { anyWord } from '../../relevance/fts5.ts';
import type { Orama } from '../../relevance/peers.ts';
import type { StoredPassage } from './stored-passages.ts';

/** The filter of a scope in the form of each engine. */
export interface PeerFilter {
  /** Condition on the columns `department`, `level` and `public` of the table `meta`. */
  readonly sql: string;
  readonly accepts: (passage: Metadata) => boolean;
  /** `where` of Orama. */
  readonly where: object;
}

type Metadata = Pick<StoredPassage, 'department' | 'level' | 'isPublic'>;

/** Finds the ten best passages that the filter permits. Returns their number. */
export type PeerSearch = (text: string, filter: PeerFilter) => number | Promise<number>;

const LIMIT = 10;

/** Fills a hand-written FTS5 table in a file, with an indexed table of metadata. */
export function fts5(folder: string, passages: Iterable<StoredPassage>): PeerSearch {
  const db = new DatabaseSync(join(folder, 'fts5.db'));
  db.exec(`
    pragma journal_mode = wal; pragma synchronous = off;
    create virtual table passage using fts5 (title, heading, body, tokenize = 'porter unicode61');
    create table meta (id integer primary key, department text, level integer, public integer);
    create index meta_department on meta (department);
    begin`);
  const insert = db.prepare(
    'insert into passage (rowid, title, heading, body) values (?, ?, ?, ?)',
  );
  const insertMeta = db.prepare('insert into meta values (?, ?, ?, ?)');
  for (const { id, title, heading, body, department, level, isPublic } of passages) {
    insert.run(id, title, heading, body);
    insertMeta.run(id, department, level, Number(isPublic));
  }
  db.exec('commit; analyze');
  const { title, heading, body } = FIELD_WEIGHTS;
  return (text, { sql }) => {
    const rows = db
      .prepare(
        `select passage.title, passage.heading, passage.body from passage join meta on meta.id = passage.rowid
         where passage match ? and ${sql} order by bm25(passage, ${title}, ${heading}, ${body}) limit ${LIMIT}`,
      )
      .all(anyWord(text));
    return rows.length;
  };
}

/** Fills an index of minisearch with its default options and our field weights. */
export function miniSearch(passages: Iterable<StoredPassage>): PeerSearch {
  const index = new MiniSearch<StoredPassage>({
    fields: ['title', 'heading', 'body'],
    storeFields: ['department', 'level', 'isPublic', 'body'],
    searchOptions: { boost: { ...FIELD_WEIGHTS } },
  });
  for (const passage of passages) index.add(passage);
  return (text, { accepts }) =>
    index
      .search(text, { filter: (result) => accepts(result as unknown as StoredPassage) })
      .slice(0, LIMIT).length;
}

/** Fills an index of Orama with our field weights. A passage matches if it contains any word. */
export async function orama(
  { module }: Orama,
  passages: Iterable<StoredPassage>,
): Promise<PeerSearch> {
  const database = module.create({
    schema: {
      ...{ title: 'string', heading: 'string', body: 'string' },
      ...{ department: 'enum', level: 'number', isPublic: 'boolean' },
    },
  });
  for (const { id, ...passage } of passages)
    await module.insertMultiple(database, [{ id: String(id), ...passage }]);
  return async (text, { where }) => {
    const { hits } = await module.search(database, {
      ...{ term: text, where, limit: LIMIT, threshold: 1, boost: FIELD_WEIGHTS },
    });
    return hits.length;
  };
}
