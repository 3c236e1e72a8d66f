/**
 * Two processes on one PostgreSQL. The first, which holds all work in the background, is killed or paused while it is at
 * work, and the second goes on with it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { FULL, SEED } from '../support/campaign.ts';
import type { ChildServer } from '../support/child-server.ts';
import { type Client, clientOf } from '../support/client.ts';
import { assertDelivered, lanesOf } from '../support/delivered.ts';
import { documentEvent } from '../support/document-events.ts';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../support/events.ts';
import { assertInStep } from '../support/in-step.ts';
import { type NatsServer, NO_NATS, startNats } from '../support/nats-server.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { ALLOW_RECEIVERS, type Receiver, startReceiver } from '../support/receiver.ts';
import { startReplicas } from '../support/replicas.ts';
import { seeded } from '../support/seeded.ts';
import { subscribingIn } from '../support/subscribing.ts';
import { until } from '../support/until.ts';

const random = seeded(SEED);
const SUBJECTS = 20;
/** Longer than a lease. */
const PAUSED_MS = 10_000;

interface Scene extends AsyncDisposable {
  /** It holds all work in the background. */
  readonly first: ChildServer;
  readonly second: ChildServer;
  readonly receiver: Receiver;
  readonly nats: NatsServer | null;
  readonly client: Client;
  readonly session: string;
  readonly spaceId: string;
  readonly key: string;
}

async function openScene(): Promise<Scene> {
  const opened = new AsyncDisposableStack();
  const receiver = opened.use(await startReceiver());
  receiver.behave(() => ({ status: random.next() < 0.05 ? 500 : 200 }));
  const nats = NO_NATS === false ? opened.use(await startNats()) : null;
  await nats?.addStream();
  const env = {
    ...ALLOW_RECEIVERS,
    ...(nats === null ? {} : { GATEHOUSE_NATS_URL: nats.url }),
  };
  const alone = opened.use(await startReplicas(1, env));
  const first = alone.services[0] as ChildServer;
  const session = await signIn(clientOf(first.url));
  const { id: spaceId } = await makeSpace(clientOf(first.url), session);
  const scopes = ['events:write', 'knowledge:write', 'read'] as const;
  const key = await makeKey(clientOf(first.url), session, spaceId, scopes);
  await subscribingIn(clientOf(first.url), session, spaceId).subscribe({ url: receiver.url });
  // It has taken whatever there is by the time it has delivered.
  await send(clientOf(first.url), key, [makeEvent({ subject: 'first' })]);
  await until('the first replica delivers', () => receiver.taken().length > 0);
  await sleep(1500);
  const beside = opened.use(await startReplicas(1, env, alone.databaseUrl));
  const second = beside.services[0] as ChildServer;
  const client = clientOf(second.url);
  return {
    ...{ first, second, receiver, nats, client, session, spaceId, key },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function send(client: Client, key: string, events: readonly SentEvent[]): Promise<void> {
  const answer = await client('/events', { as: key, body: { events } });
  assert.deepEqual([answer.status, answer.json['failed']], [200, 0], answer.text);
}

let versions = 0;

/** Mostly a new version of a document, long enough that its reading takes a moment. */
function nextEvent(): SentEvent {
  const subject = `s${random.below(SUBJECTS)}`;
  if (random.next() < 0.4) return makeEvent({ subject, data: 'x'.repeat(random.below(500)) });
  if (random.next() < 0.1) return documentEvent({ subject });
  versions += 1;
  const text = `Word w${versions}x ${`of ${subject} `.repeat(random.below(4000))}`;
  const metadata = { version: versions, team: 'a' };
  return documentEvent({ subject, data: { fileName: `${subject}.txt`, text, metadata } });
}

async function sendSome({ client, key }: Scene, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    await send(client, key, Array.from({ length: 5 }, nextEvent));
}

/** That all of the feed is delivered, published and, as far as it says so, in the documents. */
async function assertAllDone(scene: Scene): Promise<void> {
  const { client, key, spaceId, receiver, nats } = scene;
  const feed = (await readFeed(client, key)).items.map(({ event }) => event);
  await until('all is delivered', () => new Set(receiver.taken()).size >= feed.length);
  assertDelivered(receiver, feed);
  if (nats !== null) {
    await until('all is in the stream', async () => (await nats.count()) >= feed.length);
    const streamed = (await nats.messages()).map(({ text }) => JSON.parse(text) as SentEvent);
    assert.deepEqual(idsOf(streamed).toSorted(), idsOf(feed).toSorted());
    const lanes = (events: readonly SentEvent[]) => lanesOf(events).map(idsOf).toSorted();
    assert.deepEqual(lanes(streamed), lanes(feed));
  }
  await assertInStep(client, key, spaceId, feed);
  await until('nobody lags', async () => {
    const { json } = await client(`/spaces/${spaceId}/events/stats`, { as: key });
    return (json['consumers'] as { lag: number }[]).every(({ lag }) => lag === 0);
  });
}

test('what a replica did in the background another goes on with when it is killed', {
  skip: postgresIsMissing,
}, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  await using scene = await openScene();
  await sendSome(scene, 10);
  await scene.first.stop('SIGKILL');
  const killed = performance.now();
  const known = scene.receiver.taken().length;
  await sendSome(scene, 5);
  await until('the other one delivers', () => scene.receiver.taken().length > known);
  t.diagnostic(`delivered again after ${Math.round(performance.now() - killed)} ms`);
  await assertAllDone(scene);
  t.diagnostic(`all done after ${Math.round(performance.now() - killed)} ms`);
});

test('a replica that is stopped in order gives its work to another at once', {
  skip: postgresIsMissing,
}, async (t) => {
  await using scene = await openScene();
  await sendSome(scene, 10);
  assert.equal(await scene.first.stop(), 0);
  const stopped = performance.now();
  await sendSome(scene, 2);
  await assertAllDone(scene);
  t.diagnostic(`all done after ${Math.round(performance.now() - stopped)} ms`);
});

test('a replica that was paused, and wakes when another has its work, does no harm', {
  skip: postgresIsMissing,
}, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  await using scene = await openScene();
  const { first, client, spaceId, key } = scene;
  for (let round = 0; round < (FULL ? 5 : 1); round += 1) {
    await sendSome(scene, 10);
    first.process.kill('SIGSTOP');
    await sendSome(scene, 5);
    await sleep(PAUSED_MS);
    await sendSome(scene, 5);
    const before = await positions(client, spaceId, key);
    first.process.kill('SIGCONT');
    for (let look = 0; look < 20; look += 1) {
      await sleep(100);
      const now = await positions(client, spaceId, key);
      for (const [name, lag] of now)
        assert.ok(lag <= (before.get(name) ?? lag), `${name} went back`);
    }
    await assertAllDone(scene);
  }
  // It serves requests again, and can do all the work again.
  assert.equal((await clientOf(first.url)('/readyz')).status, 200);
  await scene.second.stop('SIGKILL');
  await sendSome({ ...scene, client: clientOf(first.url) }, 5);
  await assertAllDone({ ...scene, client: clientOf(first.url) });
});

/** How far each consumer is behind. */
async function positions(
  client: Client,
  spaceId: string,
  as: string,
): Promise<ReadonlyMap<string, number>> {
  const { json } = await client(`/spaces/${spaceId}/events/stats`, { as });
  const consumers = json['consumers'] as { name: string; lag: number }[];
  return new Map(consumers.map(({ name, lag }) => [name, lag]));
}
