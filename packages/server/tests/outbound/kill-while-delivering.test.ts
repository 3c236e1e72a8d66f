/**
 * Crash test of deliveries to two subscriptions. The target of one subscription is unreliable. In each round clients send
 * events. Then the process is killed with SIGKILL at a random time and restarted on the same data directory.
 * `GATEHOUSE_TEST_SEED` reproduces the random choices of a run, but not the exact timing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { assertDelivered } from '../support/events/delivered.ts';
import { makeEvent, readFeed } from '../support/events/events.ts';
import {
  ALLOW_RECEIVERS,
  type Receiver,
  startReceiver,
  verify,
} from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const ROUNDS = roundsOf(2, 200);
const CLIENTS = 2;
const SENDING_MS = 600;
const SUBJECTS = 8;
const random = seeded(SEED);

async function sendUntilKilled(client: Client, key: string): Promise<void> {
  for (;;) {
    const events = Array.from({ length: 1 + random.below(20) }, () =>
      makeEvent({ subject: `s${random.below(SUBJECTS)}`, data: 'x'.repeat(random.below(500)) }),
    );
    try {
      const answer = await client('/events', { as: key, body: { events } });
      assert.equal(answer.status, 200, answer.text);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
    await sleep(random.below(10));
  }
}

test(`delivers every event in order despite ${ROUNDS} kills`, async (context) => {
  context.diagnostic(`seed ${SEED}`);
  using directory = temporaryDirectory();
  await using steady = await startReceiver();
  await using flaky = await startReceiver();
  const secrets = new Map<Receiver, string>();
  steady.behave(async () => {
    if (random.next() < 0.2) await sleep(random.below(30));
    return { status: 200 };
  });
  flaky.behave(() => ({ status: random.next() < 0.1 ? 500 : 200 }));
  const options = { env: ALLOW_RECEIVERS };

  let key = '';
  let path = '';
  {
    await using service = await startService(directory.path, options);
    const client = clientOf(service.url);
    const session = await signIn(client);
    const { id } = await makeSpace(client, session);
    key = await makeKey(client, session, id, ['events:write', 'read']);
    path = `/spaces/${id}/subscriptions`;
    const { subscribe } = subscribingIn(client, session, id);
    for (const receiver of [steady, flaky])
      secrets.set(receiver, (await subscribe({ url: receiver.url })).secret);
  }

  for (let round = 1; round <= ROUNDS; round += 1) {
    await using service = await startService(directory.path, options);
    const client = clientOf(service.url);
    const clients = Array.from({ length: CLIENTS }, () => sendUntilKilled(client, key));
    await sleep(random.below(SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await startService(directory.path, options);
  const client = clientOf(service.url);
  let feed: Awaited<ReturnType<typeof readFeed>>['items'] = [];
  await until(
    'all events are delivered',
    async () => {
      const { items } = (await client(path, { as: key })).json as {
        items: { lag: number; waiting: number; lastFailure: unknown }[];
      };
      if (!items.every(({ lag, waiting }) => lag === 0 && waiting === 0)) return false;
      // PostgreSQL may commit a batch after the process that sent it was killed. Such events are delivered later.
      const known = feed.length;
      feed = (await readFeed(client, key)).items;
      return feed.length === known;
    },
    60_000 + ROUNDS * 5000,
  );
  const events = feed.map(({ event }) => event);
  for (const [receiver, secret] of secrets) {
    assertDelivered(receiver, events);
    for (const one of receiver.received) verify(one, secret);
  }
  context.diagnostic(
    `${feed.length} events, ${steady.received.length} and ${flaky.received.length} requests`,
  );
  assert.equal(await service.stop(), 0);
});
