import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, idsOf, numbered, textOf } from './event-batch.suite.ts';
import type { EventStoreUnderTest } from './event-store-under-test.suite.ts';

/** What is kept, once, and what is not. */
export function appendTests(suite: EventStoreUnderTest): void {
  test('keeps the events of a batch and says how many', async () => {
    const { store, spaceId } = await suite.given();
    assert.deepEqual(await store.append([batchOf(spaceId, numbered(1, 100))]), { stored: 100 });
    assert.deepEqual(
      await idsOf(store, { spaceId }),
      numbered(1, 100).map(({ id }) => id),
    );
  });

  test('keeps an event once that a batch holds twice, and the first of the two', async () => {
    const { store, spaceId } = await suite.given();
    const sent = [{ id: 'a', data: 1 }, { id: 'b' }, { id: 'a', data: 2 }];
    assert.deepEqual(await store.append([batchOf(spaceId, sent)]), { stored: 2 });
    const page = await store.read({ spaceId, after: 0, limit: 10 });
    assert.deepEqual(
      page.events.map(({ text }) => text),
      [textOf({ id: 'a', data: 1 }), textOf({ id: 'b' })],
    );
  });

  test('keeps an event once that comes again in a later batch', async () => {
    const { store, spaceId } = await suite.given();
    await store.append([batchOf(spaceId, numbered(1, 5))]);
    assert.deepEqual(await store.append([batchOf(spaceId, numbered(1, 5))]), { stored: 0 });
    assert.deepEqual(await store.append([batchOf(spaceId, numbered(4, 7))]), { stored: 2 });
    assert.deepEqual(
      await idsOf(store, { spaceId }),
      numbered(1, 7).map(({ id }) => id),
    );
  });

  test('keeps an event once that comes twice in one request', async () => {
    const { store, spaceId } = await suite.given();
    const batches = [batchOf(spaceId, numbered(1, 3)), batchOf(spaceId, numbered(2, 4))];
    assert.deepEqual(await store.append(batches), { stored: 4 });
    assert.deepEqual(await idsOf(store, { spaceId }), ['e1', 'e2', 'e3', 'e4']);
  });

  test('keeps an event once that 50 clients send at the same moment', async () => {
    const { store, spaceId } = await suite.given();
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

  test('keeps all of what many clients send at the same moment, each once', async () => {
    const { store, spaceId } = await suite.given();
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

  test('knows after reopening what it kept before, and goes on counting', async () => {
    const { spaceId } = await suite.given();
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

  test('takes source and id for two values, wherever a separator would stand', async () => {
    const { store, spaceId } = await suite.given();
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

  test('keeps the same source and id in each space', async () => {
    const [one, two] = [await suite.given(), await suite.given()];
    const sent = [batchOf(one.spaceId, numbered(1, 3)), batchOf(two.spaceId, numbered(1, 3))];
    assert.deepEqual(await one.store.append(sent), { stored: 6 });
    for (const { store, spaceId } of [one, two])
      assert.deepEqual(await idsOf(store, { spaceId }), ['e1', 'e2', 'e3']);
  });

  test('keeps all batches of a request or none of them', async () => {
    const [one, two] = [await suite.given(), await suite.given()];
    const { store } = one;
    const broken = { ...batchOf(two.spaceId, numbered(1, 2)), receivedAt: Number.NaN };
    await assert.rejects(store.append([batchOf(one.spaceId, numbered(1, 2)), broken]));
    assert.deepEqual(await idsOf(store, { spaceId: one.spaceId }), []);
    const again = [batchOf(one.spaceId, numbered(1, 2)), batchOf(two.spaceId, numbered(1, 2))];
    assert.deepEqual(await store.append(again), { stored: 4 });
    const page = await store.read({ spaceId: one.spaceId, after: 0, limit: 10 });
    assert.deepEqual(
      page.events.map(({ position }) => position),
      [1, 2],
    );
  });

  test('a request that cannot be kept fails nobody else', async () => {
    const [one, two] = [await suite.given(), await suite.given()];
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
