import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, batchOfTexts, idsOf, numbered, pagesOf } from './event-batch.suite.ts';
import type { EventStoreUnderTest } from './event-store-under-test.suite.ts';

export function readTests(suite: EventStoreUnderTest): void {
  test('numbers the events of each space from 1, without gaps for duplicates', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    await one.store.append([batchOf(one.spaceId, numbered(1, 3))]);
    await two.store.append([batchOf(two.spaceId, numbered(1, 2))]);
    await one.store.append([batchOf(one.spaceId, numbered(2, 5))]);
    const positions = async ({ store, spaceId }: typeof one) =>
      (await store.read({ spaceId, after: 0, limit: 10 })).events.map((event) => event.position);
    assert.deepEqual(await positions(one), [1, 2, 3, 4, 5]);
    assert.deepEqual(await positions(two), [1, 2]);
  });

  test('never returns events of another space', async () => {
    const [one, two, empty] = [
      await suite.newSpace(),
      await suite.newSpace(),
      await suite.newSpace(),
    ];
    await one.store.append([batchOf(one.spaceId, numbered(1, 10, 'one-'))]);
    await two.store.append([batchOf(two.spaceId, numbered(1, 10, 'two-'))]);
    const { store } = one;
    assert.ok((await idsOf(store, { spaceId: one.spaceId })).every((id) => id.startsWith('one-')));
    assert.ok((await idsOf(store, { spaceId: two.spaceId })).every((id) => id.startsWith('two-')));
    assert.deepEqual(await store.read({ spaceId: empty.spaceId, after: 0, limit: 10 }), {
      events: [],
      through: 0,
      more: false,
    });
  });

  test('returns every event in exactly one page, for any page size', async () => {
    const { store, spaceId } = await suite.newSpace();
    for (let first = 1; first <= 50; first += 7)
      await store.append([batchOf(spaceId, numbered(first, Math.min(50, first + 6)))]);
    for (const limit of [1, 2, 3, 6, 7, 8, 49, 50, 51, 1000]) {
      const pages = await pagesOf(store, { spaceId, limit });
      assert.deepEqual(
        pages.flatMap(({ events }) => events.map(({ position }) => position)),
        Array.from({ length: 50 }, (_, index) => index + 1),
        `limit ${limit}`,
      );
      assert.equal(pages.length, Math.max(1, Math.ceil(50 / limit)), `limit ${limit}`);
    }
  });

  test('returns the last examined position, and sets `more` only if there are more events', async () => {
    const { store, spaceId } = await suite.newSpace();
    await store.append([batchOf(spaceId, numbered(1, 5))]);
    const read = async (after: number, limit: number) => {
      const { events, ...rest } = await store.read({ spaceId, after, limit });
      return { positions: events.map(({ position }) => position), ...rest };
    };
    assert.deepEqual(await read(0, 4), { positions: [1, 2, 3, 4], through: 4, more: true });
    assert.deepEqual(await read(0, 5), { positions: [1, 2, 3, 4, 5], through: 5, more: false });
    assert.deepEqual(await read(4, 4), { positions: [5], through: 5, more: false });
    assert.deepEqual(await read(5, 4), { positions: [], through: 5, more: false });
    await store.append([batchOf(spaceId, numbered(6, 6))]);
    assert.deepEqual(await read(5, 4), { positions: [6], through: 6, more: false });
  });

  test('reads no event at or after an end position, within a batch or between batches', async () => {
    const { store, spaceId } = await suite.newSpace();
    await store.append([batchOf(spaceId, numbered(1, 5))]);
    await store.append([batchOf(spaceId, numbered(6, 9))]);
    for (const filter of [{}, { type: 'missing' }])
      for (const after of [0, 3, 5])
        for (const before of [1, 3, 5, 6, 7, 9, 10, 20]) {
          const query = { spaceId, after, before, limit: 100 };
          const { events } = await store.read(query);
          const expected = Array.from({ length: 9 }, (_, index) => index + 1).filter(
            (position) => position > after && position < before,
          );
          const positions = events.map(({ position }) => position);
          assert.deepEqual(positions, expected, `from ${after} to ${before}`);
          const { through } = await store.read({ ...query, ...filter });
          assert.ok(through >= Math.min(9, before - 1), `from ${after} to ${before}`);
        }
    // The second batch is not examined.
    const { through } = await store.read({ spaceId, after: 0, before: 4, limit: 9, type: 'x' });
    assert.ok(through < 6, String(through));
  });

  test('filters by type, source and subject, alone and combined', async () => {
    const { store, spaceId } = await suite.newSpace();
    const sent = [
      { id: '1', type: 'a', source: 'x', subject: 's' },
      { id: '2', type: 'b', source: 'x', subject: 's' },
      { id: '3', type: 'a', source: 'y' },
      { id: '4', type: 'a', source: 'x', subject: 't', data: { type: 'b', subject: 's' } },
      { id: '5', type: 'a', source: 'x', subject: 's' },
    ];
    await store.append([batchOf(spaceId, sent)]);
    const ids = (query: object) => idsOf(store, { spaceId, limit: 2, ...query });
    assert.deepEqual(await ids({ type: 'a' }), ['1', '3', '4', '5']);
    assert.deepEqual(await ids({ source: 'y' }), ['3']);
    assert.deepEqual(await ids({ subject: 's' }), ['1', '2', '5']);
    assert.deepEqual(await ids({ type: 'a', source: 'x', subject: 's' }), ['1', '5']);
    assert.deepEqual(await ids({ type: 'A' }), []);
    assert.deepEqual(await ids({ type: '%' }), []);
    assert.deepEqual(await ids({ type: 'b', after: 2 }), []);
  });

  test('matches attributes that are written with JSON escapes', async () => {
    const { store, spaceId } = await suite.newSpace();
    const written = [
      '"a/b"',
      '"a\\/b"',
      '"\\u0061/b"',
      '"a/b/c"',
      '"A/b"',
      '"a\\\\u0061"',
      '"é"',
      '"\\u00e9"',
    ];
    for (const [index, text] of written.entries()) {
      const event = `{"id":"${index}","type":${text},"source":${text},"subject":${text}}`;
      await store.append([batchOfTexts(spaceId, [{ id: String(index), text: event }])]);
    }
    for (const name of ['type', 'source', 'subject']) {
      const found = (value: string) => idsOf(store, { spaceId, [name]: value });
      assert.deepEqual(await found('a/b'), ['0', '1', '2'], name);
      assert.deepEqual(await found('a\\u0061'), ['5'], name);
      assert.deepEqual(await found('é'), ['6', '7'], name);
    }
    assert.deepEqual(await idsOf(store, { spaceId, typePrefix: 'a/' }), ['0', '1', '2', '3']);
    assert.deepEqual(await idsOf(store, { spaceId, sources: ['a/b*', 'é'] }), [
      '0',
      '1',
      '2',
      '3',
      '6',
      '7',
    ]);
  });

  test('filters by a type prefix, also if the type is written with JSON escapes', async () => {
    const { store, spaceId } = await suite.newSpace();
    const texts = ['"a.b.c"', '"a.bc"', '"\\u0061.b.d"', '"x", "data": "a.b."', '"a.b."'];
    const sent = texts.map((type, id) => ({ id: `${id}`, text: `{"id":"${id}","type":${type}}` }));
    await store.append([batchOfTexts(spaceId, sent)]);
    assert.deepEqual(await idsOf(store, { spaceId, typePrefix: 'a.b.' }), ['0', '2', '4']);
  });

  test('filters by several types and sources, which can be exact values or prefixes', async () => {
    const { store, spaceId } = await suite.newSpace();
    const sent = [
      { id: '1', type: 'a', source: 'x' },
      { id: '2', type: 'a.b', source: 'y' },
      { id: '3', type: 'b', source: 'x/1', data: { type: 'a' } },
      { id: '4', type: 'A', source: 'x/2' },
      { id: '5', type: 'a*b', source: 'x' },
    ];
    await store.append([batchOf(spaceId, sent)]);
    await store.append([
      batchOfTexts(spaceId, [{ id: '6', text: '{"id":"6","type":"\\u0061.c","source":"x"}' }]),
    ]);
    const ids = (query: object) => idsOf(store, { spaceId, limit: 2, ...query });
    assert.deepEqual(await ids({ types: ['a', 'b'] }), ['1', '3']);
    assert.deepEqual(await ids({ types: ['a.*'] }), ['2', '6']);
    assert.deepEqual(await ids({ types: ['a*b'] }), ['5']);
    assert.deepEqual(await ids({ types: ['*'] }), ['1', '2', '3', '4', '5', '6']);
    assert.deepEqual(await ids({ types: ['b', 'A'], sources: ['x/*'] }), ['3', '4']);
    assert.deepEqual(await ids({ sources: ['x'] }), ['1', '5', '6']);
    assert.deepEqual(await ids({ sources: [] }), []);
  });

  test('returns the newest position of one space and of all spaces', async () => {
    const [one, two, none] = [
      await suite.newSpace(),
      await suite.newSpace(),
      await suite.newSpace(),
    ];
    const { store } = one;
    assert.equal(await store.newest(one.spaceId), 0);
    await store.append([
      batchOf(one.spaceId, numbered(1, 5)),
      batchOf(two.spaceId, numbered(1, 2)),
    ]);
    await store.append([batchOf(one.spaceId, numbered(5, 7))]);
    assert.equal(await store.newest(one.spaceId), 7);
    const heads = await store.heads();
    assert.deepEqual(
      [one, two, none].map(({ spaceId }) => heads.get(spaceId)),
      [7, 2, undefined],
    );
  });

  test('skips batches that change no documents', async () => {
    const { store, spaceId } = await suite.newSpace();
    const notified: boolean[] = [];
    const unsubscribe = store.onAppended((_, feedsKnowledge) => notified.push(feedsKnowledge));
    const append = (first: number, feedsKnowledge: boolean) =>
      store.append([{ ...batchOf(spaceId, numbered(first, first + 4)), feedsKnowledge }]);
    await append(1, false);
    await append(6, true);
    await append(11, true);
    await append(16, false);
    unsubscribe();
    assert.deepEqual(notified, [false, true, true, false]);
    const read = async (after: number, limit: number) => {
      const query = { spaceId, after, limit, feedsKnowledge: true } as const;
      const { events, ...rest } = await store.read(query);
      return { positions: events.map(({ position }) => position), ...rest };
    };
    assert.deepEqual(await read(0, 3), { positions: [6, 7, 8], through: 8, more: true });
    assert.deepEqual(await read(8, 9), {
      positions: [9, 10, 11, 12, 13, 14, 15],
      through: 20,
      more: false,
    });
    assert.deepEqual(await read(15, 9), { positions: [], through: 20, more: false });
  });

  test('notifies listeners of appends until they unsubscribe', async () => {
    const { store, spaceId } = await suite.newSpace();
    const notified: string[] = [];
    const unsubscribe = store.onAppended((id) => notified.push(id));
    await store.append([batchOf(spaceId, numbered(1, 5))]);
    assert.deepEqual(notified, [spaceId]);
    unsubscribe();
    await store.append([batchOf(spaceId, numbered(6, 7))]);
    assert.deepEqual(notified, [spaceId]);
  });

  test('filters by time of receipt, with `from` inclusive and `to` exclusive', async () => {
    const { store, spaceId } = await suite.newSpace();
    for (const at of [1000, 2000, 3000])
      await store.append([batchOf(spaceId, [{ id: `${at}a` }, { id: `${at}b` }], at)]);
    const ids = (query: object) => idsOf(store, { spaceId, limit: 3, ...query });
    assert.deepEqual(await ids({ from: 2000 }), ['2000a', '2000b', '3000a', '3000b']);
    assert.deepEqual(await ids({ from: 2001 }), ['3000a', '3000b']);
    assert.deepEqual(await ids({ to: 2000 }), ['1000a', '1000b']);
    assert.deepEqual(await ids({ from: 2000, to: 3000 }), ['2000a', '2000b']);
    assert.deepEqual(await ids({ from: 3000, to: 1000 }), []);
    const page = await store.read({ spaceId, after: 0, limit: 3, to: 2000 });
    assert.deepEqual([page.through, page.more], [6, false]);
  });

  test('returns the time of receipt of each event', async () => {
    const { store, spaceId } = await suite.newSpace();
    await store.append([batchOf(spaceId, numbered(1, 1), 1_792_345_678_901)]);
    const page = await store.read({ spaceId, after: 0, limit: 1 });
    assert.equal(page.events[0]?.receivedAt, 1_792_345_678_901);
  });

  test('returns the exact text of an event even if parsing and serialising would change the text', async () => {
    const { store, spaceId } = await suite.newSpace();
    const texts = [
      '{"id":"1","data":12345678901234567890}',
      '{"id":"2","data":[1e400,-0,1.10,1E+2]}',
      '{"id":"3","data":{"a":1,"a":2,"__proto__":{"b":1}}}',
      '{ "id" : "4",\n\t"data": "Zoë 漢字 🦦 \\u00e9\\ud83e\\udda6\\/" }',
      '{"id":"5","data":"\u2028\u2029\u0085\ufeff"}',
      `{"id":"6","data":"${'long '.repeat(200_000)}"}`,
      '{"id":"7","data":"\\u0000\\ud800"}',
    ];
    const sent = texts.map((text, index) => ({ id: `${index + 1}`, text }));
    await store.append([batchOfTexts(spaceId, sent)]);
    const pages = await pagesOf(store, { spaceId });
    assert.deepEqual(
      pages.flatMap(({ events }) => events.map(({ text }) => text)),
      texts,
    );
  });

  test('returns the exact texts of the new events of a batch with duplicates', async () => {
    const { store, spaceId } = await suite.newSpace();
    const sent = ['ä', '漢字', 'b', '🦦', 'c'].map((id) => ({ id, text: `{"id":"${id}"}` }));
    await store.append([
      batchOfTexts(
        spaceId,
        [sent[1], sent[4]].filter((e) => e !== undefined),
      ),
    ]);
    assert.deepEqual(await store.append([batchOfTexts(spaceId, sent)]), { stored: 3 });
    assert.deepEqual(await idsOf(store, { spaceId }), ['漢字', 'c', 'ä', 'b', '🦦']);
  });

  test('makes whole batches readable as soon as they are acknowledged', async () => {
    const { store, spaceId } = await suite.newSpace();
    let writing = true;
    const writer = (async () => {
      for (let batch = 0; batch < 100; batch += 1) {
        await store.append([batchOf(spaceId, numbered(batch * 10 + 1, batch * 10 + 10))]);
        const page = await store.read({ spaceId, after: batch * 10 + 9, limit: 1 });
        assert.equal(page.events.length, 1, 'an acknowledged event is not readable');
      }
      writing = false;
    })();
    let after = 0;
    const seen: number[] = [];
    while (writing) {
      const page = await store.read({ spaceId, after, limit: 1000 });
      assert.equal(page.through % 10, 0, 'a batch is partly readable');
      seen.push(...page.events.map(({ position }) => position));
      after = page.through;
    }
    await writer;
    const rest = await store.read({ spaceId, after, limit: 1000 });
    seen.push(...rest.events.map(({ position }) => position));
    assert.deepEqual(
      seen,
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
  });
}
