import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSpace } from './add-space.suite.ts';
import type { OpenKnowledge } from './knowledge-engine-under-test.suite.ts';
import type { Store } from './store.ts';
import { inTransaction, type Write } from './transactions.ts';

export function writeIfTests(open: OpenKnowledge): void {
  test('conditional writes run if the condition changes or returns a row', async () => {
    await using opened = await open();
    const { store } = opened;
    const { index, writeIf } = store.knowledge;
    await addSpace(store, 'known');
    assert.equal(await writeIf(rename(store, 'known'), [add(store, 'first')]), true);
    assert.equal(await writeIf(index.spaceExists('known'), [add(store, 'second')]), true);
    assert.equal(await writeIf(rename(store, 'unknown'), [add(store, 'third')]), false);
    assert.equal(await writeIf(index.spaceExists('unknown'), [add(store, 'fourth')]), false);
    assert.deepEqual(await names(store), { first: 'new', known: 'renamed', second: 'new' });
  });

  test('a conditional write that fails undoes the condition and the earlier writes', async () => {
    await using opened = await open();
    const { store } = opened;
    await addSpace(store, 'known');
    const before = await names(store);
    const writes = [add(store, 'first'), add(store, 'known')];
    await assert.rejects(store.knowledge.writeIf(rename(store, 'known'), writes));
    assert.deepEqual(await names(store), before);
  });

  test('reserved document numbers are unique, and an unknown space gets no number', async () => {
    await using opened = await open();
    const { db, index } = opened.store.knowledge;
    await addSpace(opened.store, 'first');
    await addSpace(opened.store, 'second');
    const spaces = Array.from({ length: 100 }, (_, count) =>
      count % 3 === 0 ? 'first' : 'second',
    );
    const numbers = await Promise.all(
      spaces.map((spaceId, count) =>
        count % 10 === 0
          ? inTransaction(db, (trx) => index.nextNumber(trx, spaceId))
          : index.reserveNumber(spaceId),
      ),
    );
    assert.equal(new Set(numbers).size, 100);
    assert.ok(numbers.every(Number.isSafeInteger), `${numbers}`);
    assert.equal(await index.reserveNumber('third'), null);
  });
}

function rename({ db }: Store, id: string): Write {
  return db.updateTable('spaces').set({ name: 'renamed' }).where('id', '=', id);
}

function add({ db }: Store, id: string): Write {
  return db.insertInto('spaces').values({ id, name: 'new', created_at: 1 });
}

async function names({ db }: Store): Promise<Record<string, string>> {
  const rows = await db.selectFrom('spaces').select(['id', 'name']).orderBy('id').execute();
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}
