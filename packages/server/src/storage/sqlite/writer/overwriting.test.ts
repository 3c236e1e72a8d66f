import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { until } from '../../../../tests/support/until.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { DurableLog } from './durable-log.ts';
import { Overwriting } from './overwriting.ts';
import { overwriteUnusedAreas } from './unused-areas.ts';

const OWNER = { fd: null, onLost: assert.ifError };

const SCHEMA = `
  create table people (id text primary key, sub text, payload text);
  create index people_sub on people (sub);
  create table "values" (value text, document integer, primary key (value, document)) without rowid;
  create table texts (id integer primary key, text text);`;

interface Row {
  readonly number: number;
  readonly id: string;
  readonly textId: number;
}

const markerOf = (number: number) => `marker${String(number).padStart(6, '0')}x`;
let next = 0;

/** Inserts and deletes rows at random positions, so that SQLite moves rows between pages. */
function churn(db: DatabaseSync, note: (sql: string) => void): ReadonlySet<number> {
  const rows: Row[] = [];
  const deleted = new Set<number>();
  const run = (sql: string, ...values: (string | number)[]) => {
    db.prepare(sql).run(...values);
    note(sql);
  };
  const insert = () => {
    const [number, id] = [next, randomUUID()];
    const textId = Math.floor(Math.random() * 1e12);
    next += 1;
    const large = number % 50 === 0 ? 20_000 : 300;
    const padding = randomBytes(Math.floor(Math.random() * large)).toString('base64');
    const marker = markerOf(number);
    const start = randomBytes(3).toString('hex');
    run('insert into people values (?, ?, ?)', id, start + marker, marker + padding);
    run('insert into "values" values (?, ?)', start + marker, number);
    run('insert into texts values (?, ?)', textId, marker + padding);
    rows.push({ number, id, textId });
  };
  const remove = ({ number, id, textId }: Row) => {
    if (deleted.has(number)) return;
    deleted.add(number);
    run('delete from people where id = ?', id);
    run('delete from "values" where document = ?', number);
    run('delete from texts where id = ?', textId);
  };
  for (let round = 0; round < 5; round += 1) {
    db.exec('begin');
    for (let count = 0; count < 400; count += 1) insert();
    for (let count = 0; count < 150; count += 1) {
      const row = rows[Math.floor(Math.random() * rows.length)];
      if (row !== undefined) remove(row);
    }
    db.exec('commit');
  }
  return deleted;
}

function remaining(file: string, deleted: ReadonlySet<number>): number {
  const bytes = ['', '-wal'].map((suffix) => readFileSync(file + suffix, 'latin1')).join();
  const found = bytes.matchAll(/marker(\d{6})x/g);
  return new Set(
    [...found].map((match) => Number(match[1])).filter((number) => deleted.has(number)),
  ).size;
}

test('overwrites copies of deleted rows in the log and in unused areas, and keeps all other rows', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.db');
  closeSync(openSync(file, 'a'));
  const fd = openSync(file, 'r+');
  const db = openForWriting(file);
  const reader = openForReading(file);
  try {
    db.exec(SCHEMA);
    const overwriting = new Overwriting({
      db,
      file,
      fd,
      log: new DurableLog(db, file, OWNER),
    });
    const deleted = churn(db, (sql) => overwriting.note(sql));
    const contents = () => db.prepare('select * from people order by id').all();
    const before = contents();
    // A reader of an older snapshot prevents the truncation of the log.
    const rows = reader.prepare('select * from texts').iterate();
    rows.next();
    overwriting.stop();
    assert.ok(remaining(file, deleted) > 0);
    rows.return?.();
    overwriting.start();
    await until('the pass has ended', () => mark(db) === 0, 20_000);
    assert.equal(remaining(file, deleted), 0);
    assert.deepEqual(contents(), before);
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    const again = churn(db, (sql) => overwriting.note(sql));
    assert.equal(mark(db), 1);
    overwriting.stop();
    assert.equal(mark(db), 0);
    assert.equal(remaining(file, again), 0);
    assert.equal(reader.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
  } finally {
    reader.close();
    db.close();
    closeSync(fd);
  }
});

test('after a failed sync, unused areas are written again although they seem to contain only zeros', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.db');
  const db = openForWriting(file);
  db.exec(SCHEMA);
  db.exec('pragma wal_checkpoint(truncate)');
  const fd = openSync(file, 'r+');
  const overwrite = (writesAgain: boolean) => {
    const pages = overwriteUnusedAreas({
      fd,
      pageSize: 8192,
      from: 0,
      pages: 3,
      writesAgain,
      isOver: () => false,
    });
    assert.equal(pages, 3);
    return statSync(file).mtimeMs;
  };
  try {
    overwrite(false);
    const bytes = readFileSync(file);
    utimesSync(file, 0, 0);
    const before = statSync(file).mtimeMs;
    assert.equal(overwrite(false), before);
    assert.ok(overwrite(true) > before);
    assert.deepEqual(readFileSync(file), bytes);
  } finally {
    db.close();
    closeSync(fd);
  }
});

function mark(db: DatabaseSync): unknown {
  return db.prepare('pragma user_version').get()?.['user_version'];
}
