import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { Statements } from '../statements.ts';
import { DurableLog } from './durable-log.ts';
import { Groups } from './groups.ts';
import type { Group, Write, WriteResult } from './writer-messages.ts';

const OWNER = { fd: null, onLost: assert.ifError };

interface Opened extends Disposable {
  readonly db: DatabaseSync;
  /** Returns the committed values. */
  readonly committed: () => unknown[];
  /** Executes `first`. The groups of `arriving` arrive one by one before its commit. */
  readonly execute: (first: Group, arriving: Group[], onNext?: () => void) => boolean[][];
}

function open(): Opened {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'groups.db');
  const db = openForWriting(file);
  db.exec('create table t (v text primary key) strict');
  const reader = openForReading(file);
  const statements = new Statements(db);
  return {
    db,
    committed: () =>
      reader
        .prepare('select v from t order by v')
        .all()
        .map(({ v }) => v),
    execute: (first, arriving, onNext = () => {}) => {
      const left = [...arriving];
      const groups = new Groups({
        db,
        log: new DurableLog(db, file, OWNER),
        eventLog: () => null,
        run: ({ sql, parameters }) => statements.run(sql, parameters),
        nextGroup: () => {
          onNext();
          return left.shift() ?? null;
        },
      });
      return groups.execute([first]).map((results) => results.map(({ ok }: WriteResult) => ok));
    },
    [Symbol.dispose]: () => {
      reader.close();
      db.close();
      directory[Symbol.dispose]();
    },
  };
}

function insert(v: string): Write {
  return { kind: 'statement', sql: 'insert into t values (?)', parameters: [v] };
}

function groupOf(...values: string[]): Group {
  return { kind: 'group', writes: values.map(insert) };
}

test('groups that arrive before a commit are part of its transaction', () => {
  using opened = open();
  const seen: unknown[][] = [];
  const results = opened.execute(groupOf('a', 'b'), [groupOf('c'), groupOf('d', 'e')], () =>
    seen.push(opened.committed()),
  );
  assert.deepEqual(results, [[true, true], [true], [true, true]]);
  assert.deepEqual(seen, [[], [], []]);
  assert.deepEqual(opened.committed(), ['a', 'b', 'c', 'd', 'e']);
});

test('a failed write of one group affects no other group of its transaction', () => {
  for (const [first, arriving] of [
    [groupOf('a', 'a', 'b'), [groupOf('c'), groupOf('d')]],
    [groupOf('a', 'b'), [groupOf('a'), groupOf('c', 'd')]],
    [groupOf('a'), [groupOf('b'), groupOf('c', 'c', 'd')]],
  ] as const) {
    using opened = open();
    const results = opened.execute(first, [...arriving]);
    const sent = [first, ...arriving].map(({ writes }) => writes.length);
    assert.deepEqual(
      results.map((list) => list.length),
      sent,
    );
    assert.equal(results.flat().filter((ok) => !ok).length, 1);
    assert.deepEqual(opened.committed(), ['a', 'b', 'c', 'd']);
  }
});

test('a group that arrives while a transaction is repeated is executed once', () => {
  using opened = open();
  let calls = 0;
  const results = opened.execute(groupOf('a'), [groupOf('a', 'b'), groupOf('c')], () => {
    calls += 1;
  });
  assert.deepEqual(results, [[true], [false, true], [true]]);
  assert.ok(calls >= 3);
  assert.deepEqual(opened.committed(), ['a', 'b', 'c']);
});

test('when SQLite rolls back a transaction, each write of its groups is executed separately', () => {
  using opened = open();
  opened.db.exec('create table n (v text not null) strict');
  const sql = 'insert or rollback into n values (?)';
  const rolledBack: Write = { kind: 'statement', sql, parameters: [null] };
  const last: Group = { kind: 'group', writes: [insert('c'), rolledBack] };
  const results = opened.execute(groupOf('a'), [groupOf('b'), last]);
  assert.deepEqual(results, [[true], [true], [true, false]]);
  assert.deepEqual(opened.committed(), ['a', 'b', 'c']);
});

test('when the disk is full, every write of all groups fails, and later groups succeed', () => {
  using opened = open();
  const { page_count: pages } = opened.db.prepare('pragma page_count').get() ?? {};
  opened.db.exec(`pragma max_page_count = ${Number(pages)}`);
  const large = 'x'.repeat(100_000);
  const results = opened.execute(groupOf('a'), [groupOf('b', large), groupOf('c')]);
  assert.deepEqual(results, [[false], [false, false]]);
  assert.deepEqual(opened.committed(), []);
  opened.db.exec('pragma max_page_count = 1000');
  assert.deepEqual(opened.execute(groupOf('d'), [groupOf('e')]), [[true], [true]]);
  assert.deepEqual(opened.committed(), ['d', 'e']);
});
