import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { batchOf, idsOf } from '../../ports/event-batch.suite.ts';
import { startChild } from './child.suite.ts';
import { EVENTS_PER_BATCH, eventsOfBatch } from './kill-names.suite.ts';
import { addSpace, openStore, temporaryDirectory } from './open-store.suite.ts';

const ROUNDS = 10;
const SPACE = 's';

/** Kills a process in the middle of its appends; gives the names of those that it acknowledged. */
async function killedRound(directory: string, round: number, ms: number): Promise<string[]> {
  const child = startChild('./append-forever.suite.ts', [directory, SPACE, String(round)]);
  const { value: first } = await child.lines.next();
  const names = [first];
  const killed = setTimeout(ms).then(() => child.kill());
  for await (const name of child.lines) names.push(name);
  await killed;
  return names;
}

test('what was acknowledged before a kill is there once, and nothing is there in part', async (t) => {
  using directory = temporaryDirectory();
  {
    await using store = await openStore(directory.path);
    await addSpace(store, SPACE);
  }
  const acknowledged = new Set<string>();
  const seen = new Map<string, number>();
  let through = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const ms = randomInt(300);
    t.diagnostic(`round ${round}: killed after ${ms} ms`);
    const names = await killedRound(directory.path, round, ms);
    for (const name of names) acknowledged.add(name);
    await using store = await openStore(directory.path);
    for (const id of await idsOf(store.events, { spaceId: SPACE, after: through, limit: 1000 })) {
      const batch = id.slice(0, id.lastIndexOf('.'));
      seen.set(batch, (seen.get(batch) ?? 0) + 1);
      through += 1;
    }
    for (const name of names) assert.equal(seen.get(name), EVENTS_PER_BATCH, name);
    const again = names.slice(-20).map((name) => batchOf(SPACE, eventsOfBatch(name)));
    assert.deepEqual(await store.events.append(again), { stored: 0 });
  }
  assert.ok(acknowledged.size > ROUNDS);
  for (const [name, count] of seen) assert.equal(count, EVENTS_PER_BATCH, name);
  t.diagnostic(`${acknowledged.size} batches acknowledged, ${seen.size} kept`);
});
