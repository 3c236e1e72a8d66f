import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { seeded } from '../../../../tests/support/seeded.ts';
import { until } from '../../../../tests/support/until.ts';
import type { SpaceAccess } from '../../../identity/index.ts';
import { createMetrics } from '../../../platform/metrics/index.ts';
import { batchOf } from '../../../storage/ports/event-batch.suite.ts';
import { NO_WRITES, type Store } from '../../../storage/ports/index.ts';
import { newDatabase } from '../../../storage/postgres/database.suite.ts';
import { openStore } from '../../../storage/postgres/open-store.suite.ts';
import { createWebhooks, type WebhooksModule } from '../create-webhooks.ts';
import type { WebhookOutcome, WebhookSender } from '../sending/webhook-sender.ts';

const options = { skip: postgresIsMissing };
const SECRET = randomBytes(32);
const DAY = 86_400_000;
const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const space = { spaceId: SPACE } as SpaceAccess;

let now = Date.UTC(2026, 9, 18);
let answer: (id: string, url: string) => WebhookOutcome | Promise<WebhookOutcome>;
const arrivals: string[] = [];

const responseOf = (status: number): WebhookOutcome => ({
  answered: true,
  status,
  retryAfter: null,
});
const sender: WebhookSender = {
  refusalOf: () => null,
  open: (url) => ({
    post: async ({ body }) => {
      const { id } = JSON.parse(Buffer.from(body).toString()) as { id: string };
      arrivals.push(`${url} ${id}`);
      return answer(id, url);
    },
    close: () => {},
  }),
};

let stores: Store[] = [];
let replicas: WebhooksModule[] = [];
let sent = 0;

async function openReplica(store: Store): Promise<WebhooksModule> {
  const replica = createWebhooks({
    ...store,
    store: store.events,
    sender,
    secret: SECRET,
    clock: () => now,
    retentionDays: 7,
    random: Math.random,
    metrics: createMetrics(),
    onEvent: () => {},
  });
  await replica.start();
  return replica;
}

async function openReplicas(): Promise<void> {
  const url = await newDatabase();
  stores = [];
  replicas = [];
  for (let replica = 0; replica < 2; replica += 1) {
    const store = await openStore(url, { onError: () => {} });
    stores.push(store);
    if (replica === 0)
      await store.db.insertInto('spaces').values({ id: SPACE, name: 's', created_at: 1 }).execute();
    replicas.push(await openReplica(store));
  }
}

async function closeReplicas(): Promise<void> {
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  for (const store of stores) await store[Symbol.asyncDispose]();
}

before(async () => {
  if (postgresIsMissing === undefined) await openReplicas();
});
after(closeReplicas);

const here = () => replicas[0] as WebhooksModule;
const there = () => replicas[1] as WebhooksModule;

async function append(count: number, subject = 'one'): Promise<string[]> {
  const ids = Array.from({ length: count }, () => {
    sent += 1;
    return `e${sent}`;
  });
  const events = ids.map((id) => ({ id, subject }));
  await stores[0]?.events.append([batchOf(SPACE, events)]);
  return ids;
}

const arrived = (url: string, id: string) =>
  arrivals.filter((one) => one === `${url} ${id}`).length;

test(
  'a replica without the lease can create, change, disable and delete a subscription',
  options,
  async () => {
    answer = () => responseOf(204);
    const url = 'https://first.example/';
    const { id } = await there().subscriptions.create(space, { url }, NO_WRITES);
    const [first = ''] = await append(1);
    await until('the first event is delivered', () => arrived(url, first) === 1);

    const other = 'https://second.example/';
    await there().subscriptions.change(space, id, { url: other });
    await until('the new target receives the next event', async () => {
      const [next = ''] = await append(1);
      await sleep(200);
      return arrived(other, next) === 1;
    });

    await there().subscriptions.change(space, id, { state: 'disabled' });
    await until('the disabled subscription receives no events', async () => {
      const before = arrivals.length;
      await append(1);
      await sleep(500);
      return arrivals.length === before;
    });
    const [missed = ''] = await append(1);
    await there().subscriptions.change(space, id, { state: 'active' });
    await until('the missed event is delivered', () => arrived(other, missed) === 1);

    await there().subscriptions.remove(space, id);
    await until('the deleted subscription receives no events', async () => {
      const before = arrivals.length;
      await append(1);
      await sleep(500);
      return arrivals.length === before;
    });
  },
);

test('a replica without the lease can resend and delete deliveries', options, async () => {
  const url = 'https://parking.example/';
  answer = () => responseOf(500);
  const { id } = await here().subscriptions.create(space, { url }, NO_WRITES);
  const [first = '', second = '', third = ''] = await append(3);
  const list = async (replica: WebhooksModule, state: 'waiting' | 'parked') =>
    (await replica.deliveries.list(space, id, { state, after: null, limit: 50 }, true)).items;
  await until('all deliveries wait', async () => (await list(there(), 'waiting')).length === 3);
  now += 3 * DAY + 1000;
  await until(
    'all deliveries are parked',
    async () => (await list(there(), 'parked')).length === 3,
  );

  answer = () => responseOf(204);
  const parked = await list(there(), 'parked');
  await there().deliveries.remove(space, id, parked[2]?.id ?? '');
  await there().deliveries.resend(space, id, parked[0]?.id ?? '');
  const before = arrived(url, first);
  await until('the event is resent', () => arrived(url, first) > before);
  assert.equal(await there().deliveries.resendAll(space, id), 1);
  await until('no deliveries remain', async () => {
    const { parked: left, waiting } = await there().subscriptions.show(space, true, id);
    return left + waiting === 0;
  });
  assert.ok(arrived(url, second) > 0);
  assert.equal(arrived(url, first), before + 1, 'the event was resent once');
  const thirdBefore = arrived(url, third);
  await sleep(1500);
  assert.equal(arrived(url, third), thirdBefore, 'the deleted delivery is not sent');
  const shown = await Promise.all(
    [here(), there()].map((replica) => replica.subscriptions.show(space, true, id)),
  );
  assert.deepEqual(shown[0], shown[1]);
  await here().subscriptions.remove(space, id);
});

test('a replica without the lease can start and cancel a replay', options, async () => {
  const url = 'https://replay.example/';
  answer = () => responseOf(204);
  const { id } = await here().subscriptions.create(space, { url }, NO_WRITES);
  const [first = '', second = ''] = await append(2);
  await until('both are delivered', () => arrived(url, first) + arrived(url, second) === 2);
  const from = new Date(0).toISOString();
  const replayOf = async (replica: WebhooksModule) =>
    (await replica.subscriptions.show(space, true, id)).replay;
  assert.equal((await there().replays.start(space, id, from)).state, 'running');
  await until(
    'the replay has finished',
    async () => (await replayOf(here()))?.state === 'finished',
  );
  assert.ok(arrived(url, first) >= 2 && arrived(url, second) >= 2);

  answer = () => new Promise(() => {});
  const before = arrivals.length;
  await here().replays.start(space, id, from);
  await until('the replay sends', () => arrivals.length > before);
  await there().replays.cancel(space, id);
  answer = () => responseOf(204);
  const [last = ''] = await append(1);
  await until('live events are delivered', () => arrived(url, last) >= 1);
  assert.equal((await replayOf(here()))?.state, 'cancelled');
  await here().subscriptions.remove(space, id);
});

test(
  'after another replica deletes a delivery, that delivery no longer blocks its lane',
  options,
  async () => {
    const url = 'https://held.example/';
    let refused = '';
    answer = (event) => responseOf(event === refused ? 500 : 204);
    const { id } = await here().subscriptions.create(space, { url }, NO_WRITES);
    refused = `e${sent + 1}`;
    const [, behind = ''] = await append(2, 'held');
    const waiting = async () =>
      (await there().deliveries.list(space, id, { state: 'waiting', after: null, limit: 50 }, true))
        .items;
    await until('both deliveries wait', async () => (await waiting()).length === 2);
    await there().deliveries.remove(space, id, (await waiting())[0]?.id ?? '');
    await until('the next event of the lane is delivered', () => arrived(url, behind) === 1);
    await until('no delivery waits', async () => (await waiting()).length === 0);
    const { waiting: left } = await here().subscriptions.show(space, true, id);
    assert.equal(left, 0);
    await here().subscriptions.remove(space, id);
  },
);

test(
  'delivers all events in order despite random takeovers and resends',
  options,
  async (context) => {
    context.diagnostic(`seed ${SEED}`);
    const random = seeded(SEED).next;
    const url = 'https://fickle.example/';
    const accepted = new Set<string>();
    const overtaken: string[] = [];
    const before = new Map<string, string>();
    answer = async (event) => {
      const previous = before.get(event);
      if (previous !== undefined && !accepted.has(previous)) overtaken.push(event);
      if (random() < 0.3) await sleep(random() * 20);
      if (random() < 0.3) return responseOf(500);
      accepted.add(event);
      return responseOf(204);
    };
    const { id } = await there().subscriptions.create(space, { url }, NO_WRITES);
    const last = new Map<string, string>();
    let total = 0;
    for (let round = 0; round < 60; round += 1) {
      const subject = `lane${Math.floor(random() * 4)}`;
      const first = sent + 1;
      for (let place = 0; place < 5; place += 1) {
        const [one, other] = [last.get(subject), `e${first + place}`];
        if (one !== undefined) before.set(other, one);
        last.set(subject, other);
      }
      await append(5, subject);
      total += 5;
      await sleep(random() * 100);
      now += 100;
      const fate = random();
      const replica = random() < 0.5 ? here() : there();
      if (fate < 0.2) await replica.subscriptions.rotate(space, id, {});
      else if (fate < 0.5) {
        const { items } = await replica.deliveries.list(
          space,
          id,
          { state: 'waiting', after: null, limit: 5 },
          true,
        );
        const [one] = items;
        if (one !== undefined) await replica.deliveries.resend(space, id, one.id).catch(() => {});
      } else if (fate < 0.55) {
        const replica = Math.floor(random() * 2);
        await replicas[replica]?.[Symbol.asyncDispose]();
        replicas[replica] = await openReplica(stores[replica] as Store);
      }
    }
    await until('all events are accepted', () => {
      now += 30_000;
      return accepted.size >= total;
    });
    assert.deepEqual(overtaken, []);
    await until('no delivery waits', async () => {
      now += 30_000;
      return (await there().subscriptions.show(space, true, id)).waiting === 0;
    });
  },
);
