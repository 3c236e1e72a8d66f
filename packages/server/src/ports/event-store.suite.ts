import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { batchOf, batchOfTexts, idsOf, numbered, pagesOf, textOf } from './event-batch.suite.ts';
import type { EventStore } from './event-store.ts';

/** A store of an adapter, opened for the suite. */
export interface OpenedEventStore extends AsyncDisposable {
  /** Another object after `reopen`. */
  readonly events: EventStore;
  /** Makes a space; gives its id. */
  addSpace(): Promise<string>;
  /** Removes the row of a space. */
  dropSpace(spaceId: string): Promise<void>;
  /** Closes the store and opens it again. */
  reopen(): Promise<void>;
}

/** What every event store does, whatever its engine. */
export function eventStoreSuite(name: string, open: () => Promise<OpenedEventStore>): void {
  describe(`the event store on ${name}`, () => {
    let opened: OpenedEventStore;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    const given = async () => ({ store: opened.events, spaceId: await opened.addSpace() });

    test('keeps the events of a batch and says how many', async () => {
      const { store, spaceId } = await given();
      assert.deepEqual(await store.append([batchOf(spaceId, numbered(1, 100))]), { stored: 100 });
      assert.deepEqual(
        await idsOf(store, { spaceId }),
        numbered(1, 100).map(({ id }) => id),
      );
    });

    test('keeps an event once that a batch holds twice, and the first of the two', async () => {
      const { store, spaceId } = await given();
      const sent = [{ id: 'a', data: 1 }, { id: 'b' }, { id: 'a', data: 2 }];
      assert.deepEqual(await store.append([batchOf(spaceId, sent)]), { stored: 2 });
      const page = await store.read({ spaceId, after: 0, limit: 10 });
      assert.deepEqual(
        page.events.map(({ text }) => text),
        [textOf({ id: 'a', data: 1 }), textOf({ id: 'b' })],
      );
    });

    test('keeps an event once that comes again in a later batch', async () => {
      const { store, spaceId } = await given();
      await store.append([batchOf(spaceId, numbered(1, 5))]);
      assert.deepEqual(await store.append([batchOf(spaceId, numbered(1, 5))]), { stored: 0 });
      assert.deepEqual(await store.append([batchOf(spaceId, numbered(4, 7))]), { stored: 2 });
      assert.deepEqual(
        await idsOf(store, { spaceId }),
        numbered(1, 7).map(({ id }) => id),
      );
    });

    test('keeps an event once that comes twice in one request', async () => {
      const { store, spaceId } = await given();
      const batches = [batchOf(spaceId, numbered(1, 3)), batchOf(spaceId, numbered(2, 4))];
      assert.deepEqual(await store.append(batches), { stored: 4 });
      assert.deepEqual(await idsOf(store, { spaceId }), ['e1', 'e2', 'e3', 'e4']);
    });

    test('keeps an event once that 50 clients send at the same moment', async () => {
      const { store, spaceId } = await given();
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
      const { store, spaceId } = await given();
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
      const { spaceId } = await given();
      await opened.events.append([batchOf(spaceId, numbered(1, 30))]);
      await opened.reopen();
      const sent = [batchOf(spaceId, numbered(21, 40))];
      assert.deepEqual(await opened.events.append(sent), { stored: 10 });
      const page = await opened.events.read({ spaceId, after: 0, limit: 100 });
      assert.deepEqual(
        page.events.map(({ position, text }) => [position, JSON.parse(text).id]),
        numbered(1, 40).map(({ id }, index) => [index + 1, id]),
      );
    });

    test('takes source and id for two values, wherever a separator would stand', async () => {
      const { store, spaceId } = await given();
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
      const [one, two] = [await given(), await given()];
      const sent = [batchOf(one.spaceId, numbered(1, 3)), batchOf(two.spaceId, numbered(1, 3))];
      assert.deepEqual(await one.store.append(sent), { stored: 6 });
      for (const { store, spaceId } of [one, two])
        assert.deepEqual(await idsOf(store, { spaceId }), ['e1', 'e2', 'e3']);
    });

    test('counts the positions of each space from 1, without a gap for what was known', async () => {
      const [one, two] = [await given(), await given()];
      await one.store.append([batchOf(one.spaceId, numbered(1, 3))]);
      await two.store.append([batchOf(two.spaceId, numbered(1, 2))]);
      await one.store.append([batchOf(one.spaceId, numbered(2, 5))]);
      const positions = async ({ store, spaceId }: typeof one) =>
        (await store.read({ spaceId, after: 0, limit: 10 })).events.map((event) => event.position);
      assert.deepEqual(await positions(one), [1, 2, 3, 4, 5]);
      assert.deepEqual(await positions(two), [1, 2]);
    });

    test('never shows the events of another space', async () => {
      const [one, two, empty] = [await given(), await given(), await given()];
      await one.store.append([batchOf(one.spaceId, numbered(1, 10, 'one-'))]);
      await two.store.append([batchOf(two.spaceId, numbered(1, 10, 'two-'))]);
      const { store } = one;
      assert.ok(
        (await idsOf(store, { spaceId: one.spaceId })).every((id) => id.startsWith('one-')),
      );
      assert.ok(
        (await idsOf(store, { spaceId: two.spaceId })).every((id) => id.startsWith('two-')),
      );
      assert.deepEqual(await store.read({ spaceId: empty.spaceId, after: 0, limit: 10 }), {
        events: [],
        through: 0,
        more: false,
      });
    });

    test('gives pages of any size, each event in exactly one', async () => {
      const { store, spaceId } = await given();
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

    test('says what it looked through, and more only when there is more', async () => {
      const { store, spaceId } = await given();
      await store.append([batchOf(spaceId, numbered(1, 5))]);
      const read = async (from: number, limit: number) => {
        const { events, ...rest } = await store.read({ spaceId, after: from, limit });
        return { positions: events.map(({ position }) => position), ...rest };
      };
      assert.deepEqual(await read(0, 4), { positions: [1, 2, 3, 4], through: 4, more: true });
      assert.deepEqual(await read(0, 5), { positions: [1, 2, 3, 4, 5], through: 5, more: false });
      assert.deepEqual(await read(4, 4), { positions: [5], through: 5, more: false });
      assert.deepEqual(await read(5, 4), { positions: [], through: 5, more: false });
      await store.append([batchOf(spaceId, numbered(6, 6))]);
      assert.deepEqual(await read(5, 4), { positions: [6], through: 6, more: false });
    });

    test('picks by type, source and subject, and by all of them together', async () => {
      const { store, spaceId } = await given();
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

    test('picks by the time of receipt: from is included, to is not', async () => {
      const { store, spaceId } = await given();
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

    test('gives the time of receipt with each event', async () => {
      const { store, spaceId } = await given();
      await store.append([batchOf(spaceId, numbered(1, 1), 1_792_345_678_901)]);
      const page = await store.read({ spaceId, after: 0, limit: 1 });
      assert.equal(page.events[0]?.receivedAt, 1_792_345_678_901);
    });

    test('gives back the exact text, whatever JSON would make of it', async () => {
      const { store, spaceId } = await given();
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

    test('gives back the exact text of those that were new in a batch', async () => {
      const { store, spaceId } = await given();
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

    test('keeps all batches of a request or none of them', async () => {
      const [one, two] = [await given(), await given()];
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
      const [one, two] = [await given(), await given()];
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

    test('shows an event as soon as it is acknowledged, and nothing in part', async () => {
      const { store, spaceId } = await given();
      let writing = true;
      const writer = (async () => {
        for (let batch = 0; batch < 100; batch += 1) {
          await store.append([batchOf(spaceId, numbered(batch * 10 + 1, batch * 10 + 10))]);
          const page = await store.read({ spaceId, after: batch * 10 + 9, limit: 1 });
          assert.equal(page.events.length, 1, 'what was acknowledged can be read');
        }
        writing = false;
      })();
      let after = 0;
      const seen: number[] = [];
      while (writing) {
        const page = await store.read({ spaceId, after, limit: 1000 });
        assert.equal(page.through % 10, 0, 'a batch is seen whole');
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

    test('removes the events of a space, and of that space alone', async () => {
      const [one, two] = [await given(), await given()];
      const { store } = one;
      for (let batch = 0; batch < 150; batch += 1)
        await store.append([
          batchOf(one.spaceId, numbered(batch * 2, batch * 2 + 1)),
          batchOf(two.spaceId, numbered(batch * 2, batch * 2 + 1)),
        ]);
      await opened.dropSpace(one.spaceId);
      store.removeSpace(one.spaceId);
      await untilEmpty(one.spaceId);
      assert.equal((await idsOf(store, { spaceId: two.spaceId })).length, 300);
      assert.deepEqual(await store.append([batchOf(two.spaceId, numbered(0, 299))]), { stored: 0 });
    });

    test('goes on after a restart with the removal of a space', async () => {
      const [one, two] = [await given(), await given()];
      await one.store.append([batchOf(one.spaceId, numbered(1, 5))]);
      await one.store.append([batchOf(two.spaceId, numbered(1, 5))]);
      await opened.dropSpace(one.spaceId);
      await opened.reopen();
      await untilEmpty(one.spaceId);
      assert.equal((await idsOf(opened.events, { spaceId: two.spaceId })).length, 5);
    });

    async function untilEmpty(spaceId: string): Promise<void> {
      for (let tries = 0; tries < 500; tries += 1) {
        if ((await opened.events.read({ spaceId, after: 0, limit: 1 })).events.length === 0) return;
        await setTimeout(10);
      }
      assert.fail('the events of a removed space are still there');
    }
  });
}
