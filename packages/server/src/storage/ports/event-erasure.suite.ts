import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  batchOf,
  batchOfTexts,
  idsOf,
  numbered,
  pagesOf,
  type SentEvent,
  textOf,
} from './event-batch.suite.ts';
import type { EventStore } from './event-store.ts';
import type { EventStoreUnderTest } from './event-store-under-test.suite.ts';

const SUBJECT = 'customer/ö "42"';

/** Returns events of which every third belongs to the subject. */
const mixed = (from: number, to: number): SentEvent[] =>
  numbered(from, to).map((event, index) =>
    index % 3 === 1 ? { ...event, subject: SUBJECT } : { ...event, subject: `${SUBJECT}1` },
  );

async function eraseAll(store: EventStore, spaceId: string, subject = SUBJECT): Promise<number> {
  let [after, sum] = [0, 0];
  for (;;) {
    const { erased, through, more } = await store.eraseSubject(spaceId, subject, after);
    sum += erased;
    after = through;
    if (!more) return sum;
  }
}

export function erasureTests(suite: EventStoreUnderTest): void {
  test('erases the events of a subject and keeps all other events at their positions', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    const events = () => suite.opened().events;
    const batches = Array.from({ length: 150 }, (_, index) => mixed(index * 3, index * 3 + 2));
    for (const { spaceId } of [one, two])
      for (const batch of batches) await events().append([batchOf(spaceId, batch)]);
    const positionsOf = async (spaceId: string) =>
      (await pagesOf(events(), { spaceId })).flatMap((page) =>
        page.events.map(({ position, text }) => `${position} ${text}`),
      );
    const before = await positionsOf(one.spaceId);
    assert.equal(await eraseAll(events(), one.spaceId), 150);
    for (const reopen of [false, true]) {
      if (reopen) await suite.opened().reopen();
      assert.equal(await eraseAll(events(), one.spaceId), 0);
      const left = await positionsOf(one.spaceId);
      assert.deepEqual(
        left,
        before.filter((_, index) => index % 3 !== 1),
      );
      assert.deepEqual(await idsOf(events(), { spaceId: one.spaceId, subject: SUBJECT }), []);
      assert.equal((await idsOf(events(), { spaceId: one.spaceId, after: 300 })).length, 100);
      assert.equal((await idsOf(events(), { spaceId: two.spaceId, subject: SUBJECT })).length, 150);
      assert.equal(await events().newest(one.spaceId), 450);
    }
  });

  test('erases only events that were received before a time', async () => {
    const { store, spaceId } = await suite.newSpace();
    for (const [id, receivedAt] of [
      ['early', 10],
      ['on time', 20],
      ['late', 30],
    ] as const)
      await store.append([batchOf(spaceId, [{ id, subject: SUBJECT }], receivedAt)]);
    const erased = await store.eraseSubject(spaceId, SUBJECT, 0, 20);
    assert.deepEqual([erased.erased, erased.through, erased.more], [1, 3, false]);
    assert.deepEqual(await idsOf(store, { spaceId }), ['on time', 'late']);
    assert.equal((await store.eraseSubject(spaceId, SUBJECT, 0, 21)).erased, 1);
    assert.deepEqual(await idsOf(store, { spaceId }), ['late']);
  });

  test('ignores an erased event that is sent again', async () => {
    const { store, spaceId } = await suite.newSpace();
    await store.append([batchOf(spaceId, mixed(0, 8))]);
    assert.equal(await eraseAll(store, spaceId), 3);
    assert.deepEqual(await store.append([batchOf(spaceId, mixed(0, 8))]), { stored: 0 });
    // A batch with old and new events may store the texts of the old events.
    await store.append([batchOf(spaceId, mixed(0, 11))]);
    assert.equal(await eraseAll(store, spaceId), 1);
    assert.deepEqual(await idsOf(store, { spaceId, subject: SUBJECT }), []);
    assert.equal((await idsOf(store, { spaceId })).length, 8);
  });

  test('finds the subject of an event in any notation of JSON', async () => {
    const { store, spaceId } = await suite.newSpace();
    const escaped = (text: string) =>
      [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const plain = textOf({ id: 'plain', subject: SUBJECT });
    const events = [
      { id: 'plain', text: plain },
      { id: 'escaped', text: `{"id":"escaped","subject":"${escaped(SUBJECT)}"}` },
      { id: 'name', text: `{"id":"name","${escaped('subject')}":${JSON.stringify(SUBJECT)}}` },
      { id: 'data', text: textOf({ id: 'data', data: { subject: SUBJECT } }) },
      { id: 'other', text: textOf({ id: 'other', subject: SUBJECT.toUpperCase() }) },
    ];
    await store.append([batchOfTexts(spaceId, events)]);
    assert.equal(await eraseAll(store, spaceId), 3);
    assert.deepEqual(await idsOf(store, { spaceId }), ['data', 'other']);
  });

  test('erases subjects concurrently without restoring an erased event', async () => {
    const { store, spaceId } = await suite.newSpace();
    const subjects = ['a', 'b', 'c', 'd'];
    const events = numbered(0, 199).map((event, index) => ({
      ...event,
      subject: `s-${subjects[index % 4]}`,
      data: 'x'.repeat(50),
    }));
    for (let at = 0; at < 200; at += 40)
      await store.append([batchOf(spaceId, events.slice(at, at + 40))]);
    const erased = await Promise.all(
      subjects.slice(1).map((one) => eraseAll(store, spaceId, `s-${one}`)),
    );
    assert.deepEqual(erased, [50, 50, 50]);
    const left = await idsOf(store, { spaceId });
    assert.equal(left.length, 50);
    assert.deepEqual(await idsOf(store, { spaceId, subject: 's-a' }), left);
  });

  test('subtracts the size of erased events from the size of the log', async () => {
    const { store, spaceId } = await suite.newSpace();
    const data = Array.from({ length: 200 }, () => Math.random().toString(36)).join('');
    await store.append([batchOf(spaceId, [{ id: 'large', subject: SUBJECT, data }])]);
    await store.append([batchOf(spaceId, numbered(1, 2))]);
    assert.equal(await store.retentionCutoff(spaceId, { bytes: 1000 }), 1);
    await eraseAll(store, spaceId);
    assert.equal(await store.retentionCutoff(spaceId, { bytes: 1000 }), 0);
    assert.ok((await store.retentionCutoff(spaceId, { bytes: 10 })) > 0);
  });
}
