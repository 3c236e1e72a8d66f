import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { seeded } from '../../../../tests/support/seeded.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import { batchOf, idsOf, pagesOf } from '../../ports/event-batch.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';
import { startChild } from './child.suite.ts';
import { EVENTS_PER_BATCH, eventsOfBatch } from './kill-names.suite.ts';

const ROUNDS = roundsOf(4, 30);
const random = seeded(SEED);
const SPACE = 's';

async function runAndKill(
  program: string,
  directory: string,
  round: number,
  ms: number,
): Promise<string[]> {
  const child = startChild(program, [directory, SPACE, String(round)]);
  const { value: first } = await child.lines.next();
  const names = [first];
  const killed = setTimeout(ms).then(() => child.kill());
  for await (const name of child.lines) names.push(name);
  await killed;
  return names;
}

test('killing the process loses no acknowledged batch, duplicates no batch, and leaves no batch incomplete', async (t) => {
  using directory = temporaryDirectory();
  {
    await using store = await openStore(directory.path);
    await addSpace(store, SPACE);
  }
  const acknowledged = new Set<string>();
  const seen = new Map<string, number>();
  let through = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const ms = random.below(300);
    t.diagnostic(`round ${round}: killed after ${ms} ms`);
    const names = await runAndKill('./append-forever.suite.ts', directory.path, round, ms);
    for (const name of names) acknowledged.add(name);
    await using store = await openStore(directory.path);
    for (const id of await idsOf(store.events, { spaceId: SPACE, after: through, limit: 1000 })) {
      const batch = id.slice(0, id.lastIndexOf('.'));
      seen.set(batch, (seen.get(batch) ?? 0) + 1);
      through += 1;
    }
    for (const name of names) assert.equal(seen.get(name), EVENTS_PER_BATCH, name);
    const resent = names.slice(-20).map((name) => batchOf(SPACE, eventsOfBatch(name)));
    assert.deepEqual(await store.events.append(resent), { stored: 0 });
  }
  assert.ok(acknowledged.size > ROUNDS);
  for (const [name, count] of seen) assert.equal(count, EVENTS_PER_BATCH, name);
  t.diagnostic(`${acknowledged.size} batches acknowledged, ${seen.size} stored`);
});

test('killing the process during retention leaves no gap, loses no identity, and keeps the recorded size exact', async (t) => {
  using directory = temporaryDirectory();
  {
    await using store = await openStore(directory.path);
    await addSpace(store, SPACE);
  }
  const acknowledged: string[] = [];
  let removed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const program = './append-and-remove-forever.suite.ts';
    acknowledged.push(...(await runAndKill(program, directory.path, round, random.below(500))));
    await using store = await openStore(directory.path);
    const newest = await store.events.newest(SPACE);
    const pages = await pagesOf(store.events, { spaceId: SPACE });
    const positions = pages.flatMap(({ events }) => events.map(({ position }) => position));
    const first = newest - positions.length + 1;
    assert.deepEqual(
      positions,
      positions.map((_, index) => first + index),
    );
    assert.equal(positions.length % EVENTS_PER_BATCH, 0, 'a batch is incomplete');
    removed = first - 1;
    const resent = acknowledged.map((name) => batchOf(SPACE, eventsOfBatch(name)));
    assert.deepEqual(await store.events.append(resent), { stored: 0 });
    // The recorded size is exact: a limit that is one byte lower removes events.
    const bytes = storedBytes(directory.path);
    assert.equal(await store.events.retentionCutoff(SPACE, { bytes }), 0);
    assert.ok((await store.events.retentionCutoff(SPACE, { bytes: bytes - 1 })) > 0);
  }
  assert.ok(removed > 0, 'nothing was removed');
  t.diagnostic(`${acknowledged.length} batches acknowledged, ${removed} events removed`);
});

function storedBytes(directory: string): number {
  using db = new DatabaseSync(join(directory, 'gatehouse.db'), { readOnly: true });
  const row = db
    .prepare('select sum(length(ends) + length(texts)) as bytes from event_batches')
    .get();
  return Number(row?.['bytes']);
}
