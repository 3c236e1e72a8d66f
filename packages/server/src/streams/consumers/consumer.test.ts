import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { until } from '../../../tests/support/until.ts';
import { parse } from '../../lib/json/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { batchOf } from '../../storage/ports/event-batch.suite.ts';
import type { EventStore } from '../../storage/ports/index.ts';
import { createLeases } from '../../storage/sqlite/leases.ts';
import { createConsumers } from './consumer.service.ts';
import type { ConsumerOptions } from './consumer-work.ts';

describe('a durable consumer', async () => {
  const location = await newStoreLocation();
  after(() => location[Symbol.dispose]());
  let store = await location.open();
  after(() => store[Symbol.asyncDispose]());

  const newSpace = async () => {
    const id = randomUUIDv7();
    await addSpace(store, id);
    return id;
  };
  const append = (spaceId: string, ids: readonly string[], type = 'order.placed') =>
    store.events.append([
      batchOf(
        spaceId,
        ids.map((id) => ({ id, type })),
      ),
    ]);
  const consuming = (name: string, options: Partial<ConsumerOptions> = {}) => {
    const processed: string[] = [];
    const failures: number[] = [];
    const consumer = createConsumers({ ...store, store: store.events, clock: Date.now })({
      name,
      startsAt: 'beginning',
      pageSize: 2,
      spacesAtOnce: 2,
      handle: async (spaceId, events) => {
        for (const { text } of events) {
          const { id } = parse(text) as { id: string };
          processed.push(`${spaceId} ${id}`);
        }
      },
      onFailure: (_, __, count) => failures.push(count),
      ...options,
    });
    return { consumer, processed, failures };
  };

  test('processes existing and new events once and in order', async () => {
    const [one, two] = [await newSpace(), await newSpace()];
    await append(one, ['1', '2', '3', '4', '5']);
    const { consumer, processed } = consuming('orders');
    await consumer.start();
    await until('five events are processed', () => processed.length === 5);
    await append(two, ['1']);
    await append(one, ['6']);
    await append(one, ['6']);
    await until('seven events are processed', () => processed.length === 7);
    await consumer.close();
    const ofOne = processed.filter((line) => line.startsWith(`${one} `));
    assert.deepEqual(
      ofOne,
      ['1', '2', '3', '4', '5', '6'].map((id) => `${one} ${id}`),
    );
    assert.deepEqual(await consumer.lags(), new Map());
  });

  test('continues after a restart and reports its lag before it starts', async () => {
    const space = await newSpace();
    const first = consuming('restarted');
    await first.consumer.start();
    await append(space, ['1', '2', '3']);
    await until('event 3 is processed', () => first.processed.includes(`${space} 3`));
    await first.consumer.close();
    await append(space, ['4']);
    await store[Symbol.asyncDispose]();
    store = await location.open();
    const { consumer, processed } = consuming('restarted');
    assert.equal((await consumer.lags()).get(space), 1);
    await consumer.start();
    await until('event 4 is processed', () => processed.includes(`${space} 4`));
    await consumer.close();
    assert.equal(processed.filter((line) => line.startsWith(`${space} `)).length, 1);
  });

  test('skips existing events if it starts at the newest event, but processes all events of spaces created later', async () => {
    const early = await newSpace();
    await append(early, ['1', '2']);
    const first = consuming('from now', { startsAt: 'newest' });
    await first.consumer.start();
    await first.consumer.close();
    assert.deepEqual(first.processed, []);
    const late = await newSpace();
    await append(late, ['1']);
    await append(early, ['3']);
    const { consumer, processed } = consuming('from now', { startsAt: 'newest' });
    await consumer.start();
    await until('two events are processed', () => processed.length === 2);
    await consumer.close();
    assert.deepEqual(processed.sort(), [`${early} 3`, `${late} 1`]);
  });

  test('retries a failed page while other spaces proceed', async () => {
    const [bad, good] = [await newSpace(), await newSpace()];
    const handled: string[] = [];
    const { consumer, failures } = consuming('failing', {
      startsAt: 'newest',
      handle: async (spaceId) => {
        handled.push(spaceId);
        if (spaceId === bad && handled.filter((id) => id === bad).length < 3) throw new Error('no');
      },
    });
    await consumer.start();
    await append(bad, ['1']);
    await append(good, ['1']);
    await until(
      'the bad event is handled three times',
      () => handled.filter((id) => id === bad).length === 3,
    );
    await consumer.close();
    assert.deepEqual(failures, [1, 2]);
    assert.equal(handled.filter((id) => id === good).length, 1);
    assert.equal((await consumer.lags()).has(bad), false);
  });

  test('stores a cursor before the first page of a space succeeds, so that retention waits', async () => {
    const space = await newSpace();
    await append(space, ['1']);
    let failed = false;
    const { consumer } = consuming('held', {
      handle: async (spaceId) => {
        failed ||= spaceId === space;
        throw new Error('no');
      },
    });
    await consumer.start();
    await until('the consumer has failed', () => failed);
    await consumer.close();
    const cursor = await store.db
      .selectFrom('event_cursors')
      .where('space_id', '=', space)
      .where('consumer', '=', 'held')
      .select('position')
      .executeTakeFirst();
    assert.equal(cursor?.position, 0);
  });

  test('removes its listener and timers if its cursors cannot be loaded', async (t) => {
    const timers = t.mock.method(globalThis, 'setInterval');
    const cleared = t.mock.method(globalThis, 'clearInterval');
    let listeners = 0;
    const events: EventStore = {
      ...store.events,
      onAppended: (listener) => {
        const stop = store.events.onAppended(listener);
        listeners += 1;
        return () => {
          listeners -= 1;
          stop();
        };
      },
    };
    const { db } = store;
    const consumer = createConsumers({
      db,
      store: events,
      leases: createLeases(),
      clock: Date.now,
    })({
      name: 'unreadable',
      startsAt: 'beginning',
      pageSize: 2,
      spacesAtOnce: 2,
      handle: async () => {},
      onFailure: () => {},
    });
    await db.schema.alterTable('event_cursors').renameTo('unreadable_cursors').execute();
    const started = consumer.start();
    await assert.rejects(started);
    await db.schema.alterTable('unreadable_cursors').renameTo('event_cursors').execute();
    assert.equal(listeners, 0);
    const stopped = cleared.mock.calls.map(({ arguments: [timer] }) => timer);
    for (const { result } of timers.mock.calls) assert.ok(stopped.includes(result));
    await consumer.close();
  });

  test('processes only matching events and skips the others', async () => {
    const space = await newSpace();
    await append(space, ['1'], 'gatehouse.document.upserted');
    await append(space, ['2', '3'], 'order.placed');
    await append(space, ['4'], 'gatehouse.document.deleted');
    const { consumer, processed } = consuming('documents', {
      query: { typePrefix: 'gatehouse.document.' },
    });
    await consumer.start();
    await until(
      'two events of the space are processed',
      () => processed.filter((line) => line.startsWith(`${space} `)).length === 2,
    );
    await append(space, ['5', '6'], 'order.placed');
    await until('the space has no lag', async () => !(await consumer.lags()).has(space));
    assert.equal(await consumer.position(space), 6);
    await consumer.close();
    assert.deepEqual(processed, [`${space} 1`, `${space} 4`]);
    const reopened = consuming('documents', { query: { typePrefix: 'gatehouse.document.' } });
    assert.equal((await reopened.consumer.lags()).has(space), false);
  });
});
