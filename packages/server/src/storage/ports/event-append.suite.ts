import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, idsOf, numbered, textOf } from './event-batch.suite.ts';
import type { EventStoreUnderTest } from './event-store-under-test.suite.ts';

export function appendTests(suite: EventStoreUnderTest): void {
  test('stores the events of a batch and returns their number', async () => {
    const { store, spaceId } = await suite.newSpace();
    assert.deepEqual(await store.append([batchOf(spaceId, numbered(1, 100))]), { stored: 100 });
    assert.deepEqual(
      await idsOf(store, { spaceId }),
      numbered(1, 100).map(({ id }) => id),
    );
  });

  test('stores only the first of two events with the same identity in a batch', async () => {
    const { store, spaceId } = await suite.newSpace();
    const sent = [{ id: 'a', data: 1 }, { id: 'b' }, { id: 'a', data: 2 }];
    assert.deepEqual(await store.append([batchOf(spaceId, sent)]), { stored: 2 });
    const page = await store.read({ spaceId, after: 0, limit: 10 });
    assert.deepEqual(
      page.events.map(({ text }) => text),
      [textOf({ id: 'a', data: 1 }), textOf({ id: 'b' })],
    );
  });

  test('ignores an event that an earlier call stored', async () => {
    const { store, spaceId } = await suite.newSpace();
    await store.append([batchOf(spaceId, numbered(1, 5))]);
    assert.deepEqual(await store.append([batchOf(spaceId, numbered(1, 5))]), { stored: 0 });
    assert.deepEqual(await store.append([batchOf(spaceId, numbered(4, 7))]), { stored: 2 });
    assert.deepEqual(
      await idsOf(store, { spaceId }),
      numbered(1, 7).map(({ id }) => id),
    );
  });

  test('stores an event only once if two batches of a call contain it', async () => {
    const { store, spaceId } = await suite.newSpace();
    const batches = [batchOf(spaceId, numbered(1, 3)), batchOf(spaceId, numbered(2, 4))];
    assert.deepEqual(await store.append(batches), { stored: 4 });
    assert.deepEqual(await idsOf(store, { spaceId }), ['e1', 'e2', 'e3', 'e4']);
  });

  test('stores an event only once if 50 clients send it concurrently', async () => {
    const { store, spaceId } = await suite.newSpace();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => store.append([batchOf(spaceId, numbered(1, 20))])),
    );
    assert.equal(
      answers.reduce((sum, { stored }) => sum + stored, 0),
      20,
    );
    assert.deepEqual(
      await idsOf(store, { spaceId }),
      numbered(1, 20).map(({ id }) => id),
    );
  });

  test('stores all distinct events that 50 clients send concurrently', async () => {
    const { store, spaceId } = await suite.newSpace();
    const clients = Array.from({ length: 50 }, (_, client) => numbered(1, 40, `c${client}-`));
    await Promise.all(clients.map((events) => store.append([batchOf(spaceId, events)])));
    assert.deepEqual(
      (await idsOf(store, { spaceId })).toSorted(),
      clients
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test('after a restart, ignores duplicates and continues the numbering of positions', async () => {
    const { spaceId } = await suite.newSpace();
    await suite.opened().events.append([batchOf(spaceId, numbered(1, 30))]);
    await suite.opened().reopen();
    const sent = [batchOf(spaceId, numbered(21, 40))];
    assert.deepEqual(await suite.opened().events.append(sent), { stored: 10 });
    const page = await suite.opened().events.read({ spaceId, after: 0, limit: 100 });
    assert.deepEqual(
      page.events.map(({ position, text }) => [position, JSON.parse(text).id]),
      numbered(1, 40).map(({ id }, index) => [index + 1, id]),
    );
  });

  test('distinguishes events whose concatenated source and ID are equal', async () => {
    const { store, spaceId } = await suite.newSpace();
    const sent = [
      { source: 'a', id: 'b c' },
      { source: 'a b', id: 'c' },
      { source: 'ab', id: 'c' },
      { source: 'a', id: 'bc' },
      { source: 'a:b', id: 'c' },
      { source: 'a', id: 'b:c' },
      { source: 'a', id: 'B C' },
      { source: '1:a', id: '' },
    ];
    assert.deepEqual(await store.append([batchOf(spaceId, sent)]), { stored: sent.length });
    assert.deepEqual(await store.append([batchOf(spaceId, sent)]), { stored: 0 });
  });

  test('stores events with the same source and ID in different spaces', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    const sent = [batchOf(one.spaceId, numbered(1, 3)), batchOf(two.spaceId, numbered(1, 3))];
    assert.deepEqual(await one.store.append(sent), { stored: 6 });
    for (const { store, spaceId } of [one, two])
      assert.deepEqual(await idsOf(store, { spaceId }), ['e1', 'e2', 'e3']);
  });

  test('stores either all batches of a call or none of them', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    const { store } = one;
    const broken = { ...batchOf(two.spaceId, numbered(1, 2)), receivedAt: Number.NaN };
    await assert.rejects(store.append([batchOf(one.spaceId, numbered(1, 2)), broken]));
    assert.deepEqual(await idsOf(store, { spaceId: one.spaceId }), []);
    const retried = [batchOf(one.spaceId, numbered(1, 2)), batchOf(two.spaceId, numbered(1, 2))];
    assert.deepEqual(await store.append(retried), { stored: 4 });
    const page = await store.read({ spaceId: one.spaceId, after: 0, limit: 10 });
    assert.deepEqual(
      page.events.map(({ position }) => position),
      [1, 2],
    );
  });

  test('a failed call does not affect concurrent calls', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    const { store } = one;
    const broken = { ...batchOf(one.spaceId, numbered(1, 2)), receivedAt: Number.NaN };
    const [first, second, third] = await Promise.allSettled([
      store.append([batchOf(two.spaceId, numbered(1, 2))]),
      store.append([broken]),
      store.append([batchOf(two.spaceId, numbered(2, 3))]),
    ]);
    assert.deepEqual(
      [first.status, second.status, third.status],
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await idsOf(store, { spaceId: one.spaceId }), []);
    assert.deepEqual(await idsOf(store, { spaceId: two.spaceId }), ['e1', 'e2', 'e3']);
  });
}
