import assert from 'node:assert/strict';
import { randomBytes, randomInt, randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../../../../tests/support/seeded.ts';
import { newSecretText } from '../../../ingest/sources/index.ts';
import { createSealer } from '../../../platform/secrets/index.ts';
import { newStoreLocation } from '../../../storage/open-store.suite.ts';
import { addSpace } from '../../../storage/ports/add-space.suite.ts';
import { batchOf, pagesOf } from '../../../storage/ports/event-batch.suite.ts';
import { createSaveCheckpoint, type SaveCheckpoint } from '../deliveries/checkpoint.repository.ts';
import { createDeliveryRepository } from '../deliveries/delivery.repository.ts';
import type { WebhookOutcome, WebhookSender } from '../sending/webhook-sender.ts';
import { createSubscriptionRepository } from '../subscriptions/subscription.repository.ts';
import { sealContext } from '../subscriptions/subscription.rules.ts';
import { createDispatcher } from './dispatcher.service.ts';

const SEED = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 32));
const BATCHES = 70;
const IN_BATCH = 10;
const LANES = 5;
const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const HALF_A_MINUTE = 30_000;

interface Arrival {
  readonly id: string;
  readonly subject: string;
}

/** A target that answers as chance has it, and remembers what came and what it took, in order. */
function fickleTarget(random: () => number) {
  const arrivals: Arrival[] = [];
  const taken = new Set<string>();
  const overtaken: string[] = [];
  const sender: WebhookSender = {
    refusalOf: () => null,
    open: () => {
      let isOpen = true;
      return {
        post: async ({ body }) => {
          const { id, subject } = JSON.parse(Buffer.from(body).toString()) as Arrival;
          arrivals.push({ id, subject });
          // Within a lane ids are numbered in the order of the feed.
          const [lane = '', place] = id.split('.');
          if (Number(place) > 0 && !taken.has(`${lane}.${Number(place) - 1}`)) overtaken.push(id);
          if (random() < 0.5) await sleep(random() * 4);
          const outcome = chance(random());
          if (outcome.answered && outcome.status === 204) taken.add(id);
          return isOpen ? outcome : { answered: false, problem: 'broken off' };
        },
        close: () => {
          isOpen = false;
        },
      };
    },
  };
  return { sender, arrivals, taken, overtaken };
}

function chance(value: number): WebhookOutcome {
  if (value < 0.75) return { answered: true, status: 204, retryAfter: null };
  if (value < 0.9) return { answered: true, status: 500, retryAfter: null };
  return { answered: false, problem: 'the connection was refused' };
}

test('whatever fails, breaks off or is written in vain, all arrives and nothing overtakes', async (context) => {
  context.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED).next;
  using place = await newStoreLocation();
  await using store = await place.open();
  await addSpace(store, SPACE);
  const target = fickleTarget(random);
  const sealer = createSealer(randomBytes(32), 'subscriptions');
  const really = createSaveCheckpoint(store.db, store.writeTogether);
  /** Fails before it has written anything, or after it. */
  const save: SaveCheckpoint = async (key, checkpoint, fence) => {
    if (random() < 0.3) throw new Error('not written');
    await really(key, checkpoint, fence);
    if (random() < 0.1) throw new Error('written, but nobody heard of it');
  };
  let now = Date.UTC(2026, 9, 18);
  const subscriptions = createSubscriptionRepository(store.db);
  const dispatcher = createDispatcher({
    store: store.events,
    leases: store.leases,
    subscriptions,
    deliveries: createDeliveryRepository(store.db),
    save,
    sender: target.sender,
    sealer,
    clock: () => now,
    random,
    count: () => {},
    onEvent: () => {},
  });
  const named = { id: randomUUIDv7(), space_id: SPACE };
  const secret = {
    sealed: sealer.seal(newSecretText(), sealContext(named)),
    createdAt: 1,
    endsAt: null,
  };
  await subscriptions.insert({
    ...named,
    url: 'https://a.example/',
    types: null,
    sources: null,
    state: 'active',
    end_reason: null,
    secrets: JSON.stringify([secret]),
    revision: 0,
    deliveries_revision: 0,
    position: 0,
    last_delivered_at: null,
    last_failed_at: null,
    last_failed_status: null,
    last_failure: null,
    created_at: 1,
  });
  await dispatcher.start();
  const key = { spaceId: SPACE, subscriptionId: named.id };
  const places = new Map<string, number>();

  for (let batch = 0; batch < BATCHES; batch += 1) {
    const events = Array.from({ length: IN_BATCH }, () => {
      const subject = `lane${Math.floor(random() * LANES)}`;
      const place = places.get(subject) ?? 0;
      places.set(subject, place + 1);
      return { id: `${subject}.${place}`, subject, data: 'x'.repeat(random() * 200) };
    });
    await store.events.append([batchOf(SPACE, events)]);
    await sleep(random() * 60);
    // Little, so that what failed still waits when it crashes.
    now += 100;
    const fate = random();
    // As a crash does: nothing of what was just done is kept.
    if (fate < 0.08) dispatcher.remove(key);
    if (fate < 0.1) await dispatcher.reload(key);
  }
  const total = BATCHES * IN_BATCH;
  for (let turns = 0; target.taken.size < total && turns < 3000; turns += 1) {
    now += HALF_A_MINUTE;
    await sleep(10);
  }
  await dispatcher.close();
  const feed = (await pagesOf(store.events, { spaceId: SPACE })).flatMap(({ events }) => events);
  assert.equal(feed.length, total);
  assert.deepEqual(target.overtaken, []);
  assert.equal(target.taken.size, total, 'all of it arrived');
  assert.ok(target.arrivals.length > total, 'some of it more than once');
  context.diagnostic(`${total} events, ${target.arrivals.length} requests`);
});
