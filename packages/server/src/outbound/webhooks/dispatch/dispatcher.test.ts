import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEED } from '@gatehouse/filter/tests/campaign';
import { seeded } from '../../../../tests/support/seeded.ts';
import { pagesOf } from '../../../storage/ports/event-batch.suite.ts';
import { createSaveCheckpoint, type SaveCheckpoint } from '../deliveries/checkpoint.repository.ts';
import type { WebhookOutcome } from '../sending/webhook-sender.ts';
import { type Arrival, createTarget, openDispatch, SPACE, status } from './dispatch.suite.ts';

const BATCHES = 70;
const IN_BATCH = 10;
const LANES = 5;
const HALF_A_MINUTE = 30_000;

/** Creates a target with random outcomes. `overtaken` lists the events that arrived before an earlier one of their lane. */
function createRandomTarget(random: () => number) {
  const accepted = new Set<string>();
  const overtaken: string[] = [];
  const answer = async ({ id }: Arrival) => {
    // The IDs of a lane are numbered in the order of the feed.
    const [lane = '', index] = id.split('.');
    if (Number(index) > 0 && !accepted.has(`${lane}.${Number(index) - 1}`)) overtaken.push(id);
    if (random() < 0.5) await sleep(random() * 4);
    const outcome = outcomeOf(random());
    if (outcome.answered && outcome.status === 204) accepted.add(id);
    return outcome;
  };
  return { ...createTarget(answer), accepted, overtaken };
}

function outcomeOf(value: number): WebhookOutcome {
  if (value < 0.75) return status(204);
  if (value < 0.9) return status(500);
  return { answered: false, problem: 'the connection was refused' };
}

test('delivers all events in order despite random failures of targets, writes and processes', async (context) => {
  context.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED).next;
  const target = createRandomTarget(random);
  let saveToStore: SaveCheckpoint;
  const save: SaveCheckpoint = async (...args) => {
    if (random() < 0.3) throw new Error('not written');
    await saveToStore(...args);
    if (random() < 0.1) throw new Error('written, but the response was lost');
  };
  await using dispatch = await openDispatch({ sender: target.sender, save, random });
  const { store, dispatcher, clock } = dispatch;
  saveToStore = createSaveCheckpoint(store.db, store.writeAtomically);
  const key = await dispatch.subscribe();
  await dispatcher.start();
  const indexes = new Map<string, number>();

  for (let batch = 0; batch < BATCHES; batch += 1) {
    const events = Array.from({ length: IN_BATCH }, () => {
      const subject = `lane${Math.floor(random() * LANES)}`;
      const index = indexes.get(subject) ?? 0;
      indexes.set(subject, index + 1);
      return { id: `${subject}.${index}`, subject, data: 'x'.repeat(random() * 200) };
    });
    await dispatch.append(...events);
    await sleep(random() * 60);
    // The short step leaves failed deliveries waiting at the next crash.
    clock.now += 100;
    const fate = random();
    // Simulates a crash: changes since the last checkpoint are lost.
    if (fate < 0.08) dispatcher.remove(key);
    if (fate < 0.1) await dispatcher.reload(key);
  }
  const total = BATCHES * IN_BATCH;
  for (let turns = 0; target.accepted.size < total && turns < 3000; turns += 1) {
    clock.now += HALF_A_MINUTE;
    await sleep(10);
  }
  await dispatcher.close();
  const feed = (await pagesOf(store.events, { spaceId: SPACE })).flatMap(({ events }) => events);
  assert.equal(feed.length, total);
  assert.deepEqual(target.overtaken, []);
  assert.equal(target.accepted.size, total, 'all events arrived');
  assert.ok(target.arrivals.length > total, 'some events arrived more than once');
  context.diagnostic(`${total} events, ${target.arrivals.length} requests`);
});
