/**
 * Two replicas share one PostgreSQL database. The replica that holds the leases of all background jobs is paused, stopped
 * or killed, and the other replica takes over the jobs. The tests share the replicas and run in this order.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { type NatsServer, NO_NATS, startNats } from '../support/brokers/nats-server.ts';
import { assertDelivered, lanesOf } from '../support/events/delivered.ts';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, type Receiver, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { documentEvent } from '../support/knowledge/document-events.ts';
import { assertDocumentsMatchFeed } from '../support/knowledge/documents-match-feed.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { startReplicas } from '../support/storage/replicas.ts';
import { until } from '../support/until.ts';

const random = seeded(SEED);
const SUBJECTS = 20;
/** Duration of a pause. Longer than the lifetime of a lease. */
const PAUSED_MS = 10_000;

interface Scene extends AsyncDisposable {
  /** The replica that acquires all jobs first. */
  readonly first: ChildServer;
  readonly second: ChildServer;
  startAnother(): Promise<ChildServer>;
  readonly receiver: Receiver;
  readonly nats: NatsServer | null;
  readonly spaceId: string;
  readonly key: string;
}

async function openScene(): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const receiver = opened.use(await startReceiver());
  receiver.behave(() => ({ status: random.next() < 0.05 ? 500 : 200 }));
  const nats = NO_NATS === false ? opened.use(await startNats()) : null;
  await nats?.addStream();
  const env = {
    ...ALLOW_RECEIVERS,
    ...(nats === null ? {} : { GATEHOUSE_NATS_URL: nats.url }),
  };
  const firstReplica = opened.use(await startReplicas(1, env));
  const first = firstReplica.services[0] as ChildServer;
  const session = await signIn(clientOf(first.url));
  const { id: spaceId } = await makeSpace(clientOf(first.url), session);
  const scopes = ['events:write', 'knowledge:write', 'read'] as const;
  const key = await makeKey(clientOf(first.url), session, spaceId, scopes);
  await subscribingIn(clientOf(first.url), session, spaceId).subscribe({ url: receiver.url });
  // When this event is delivered, the first replica has acquired all jobs.
  await send(clientOf(first.url), key, [makeEvent({ subject: 'first' })]);
  await until('the first replica delivers', () => receiver.taken().length > 0);
  await sleep(1500);
  const later = opened.use(new AsyncDisposableStack());
  const startAnother = async () => {
    const replica = later.use(await startReplicas(1, env, firstReplica.databaseUrl));
    return replica.services[0] as ChildServer;
  };
  const second = await startAnother();
  const all = opened.move();
  return {
    ...{ first, second, startAnother, receiver, nats, spaceId, key },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function send(client: Client, key: string, events: readonly SentEvent[]): Promise<void> {
  const answer = await client('/events', { as: key, body: { events } });
  assert.deepEqual([answer.status, answer.json['failed']], [200, 0], answer.text);
}

let versions = 0;

/** Returns a random event. Most events are new versions of documents whose indexing takes some time. */
function nextEvent(): SentEvent {
  const subject = `s${random.below(SUBJECTS)}`;
  if (random.next() < 0.4) return makeEvent({ subject, data: 'x'.repeat(random.below(500)) });
  if (random.next() < 0.1) return documentEvent({ subject });
  versions += 1;
  const text = `Word w${versions}x ${`of ${subject} `.repeat(random.below(4000))}`;
  const metadata = { version: versions, team: 'a' };
  return documentEvent({ subject, data: { fileName: `${subject}.txt`, text, metadata } });
}

async function sendSome(client: Client, { key }: Scene, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    await send(client, key, Array.from({ length: 5 }, nextEvent));
}

/** Waits until all events are delivered to the subscription, published to the sink and applied to the documents. */
async function assertAllDone(client: Client, scene: Scene): Promise<void> {
  const { key, spaceId, receiver, nats } = scene;
  const feed = (await readFeed(client, key)).items.map(({ event }) => event);
  await until('all events are delivered', () => new Set(receiver.taken()).size >= feed.length);
  assertDelivered(receiver, feed);
  if (nats !== null) {
    await until('all events are published', async () => (await nats.count()) >= feed.length);
    const streamed = (await nats.messages()).map(({ text }) => JSON.parse(text) as SentEvent);
    assert.deepEqual(idsOf(streamed).toSorted(), idsOf(feed).toSorted());
    const lanes = (events: readonly SentEvent[]) => lanesOf(events).map(idsOf).toSorted();
    assert.deepEqual(lanes(streamed), lanes(feed));
  }
  await assertDocumentsMatchFeed(client, key, spaceId, feed);
  await until('no consumer lags', async () => {
    const { json } = await client(`/spaces/${spaceId}/events/stats`, { as: key });
    return (json['consumers'] as { lag: number }[]).every(({ lag }) => lag === 0);
  });
}

describe('a cluster of two replicas', { skip: postgresIsMissing }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
  });
  after(() => scene[Symbol.asyncDispose]());

  test('a paused replica that resumes after a takeover does not move cursors backwards or lose events', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const { first, second, spaceId, key } = scene;
    const client = clientOf(second.url);
    for (let round = 0; round < (FULL ? 5 : 1); round += 1) {
      await sendSome(client, scene, 10);
      first.process.kill('SIGSTOP');
      await sendSome(client, scene, 5);
      await sleep(PAUSED_MS);
      await sendSome(client, scene, 5);
      const before = await lags(client, spaceId, key);
      first.process.kill('SIGCONT');
      for (let check = 0; check < 20; check += 1) {
        await sleep(100);
        const now = await lags(client, spaceId, key);
        for (const [name, lag] of now)
          assert.ok(lag <= (before.get(name) ?? lag), `the cursor of ${name} moved backwards`);
      }
      await assertAllDone(client, scene);
    }
    assert.equal((await clientOf(first.url)('/readyz')).status, 200);
  });

  test('another replica immediately takes over the background jobs of a replica that shuts down', async (t) => {
    const client = clientOf(scene.first.url);
    await sendSome(client, scene, 10);
    assert.equal(await scene.second.stop(), 0);
    const stopped = performance.now();
    await sendSome(client, scene, 2);
    await assertAllDone(client, scene);
    t.diagnostic(`all done after ${Math.round(performance.now() - stopped)} ms`);
  });

  test('another replica takes over the background jobs of a killed replica', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const client = clientOf((await scene.startAnother()).url);
    await sendSome(client, scene, 10);
    await scene.first.stop('SIGKILL');
    const killed = performance.now();
    const known = scene.receiver.taken().length;
    await sendSome(client, scene, 5);
    await until('the other replica delivers', () => scene.receiver.taken().length > known);
    t.diagnostic(`deliveries resumed after ${Math.round(performance.now() - killed)} ms`);
    await assertAllDone(client, scene);
    t.diagnostic(`all done after ${Math.round(performance.now() - killed)} ms`);
  });
});

async function lags(
  client: Client,
  spaceId: string,
  as: string,
): Promise<ReadonlyMap<string, number>> {
  const { json } = await client(`/spaces/${spaceId}/events/stats`, { as });
  const consumers = json['consumers'] as { name: string; lag: number }[];
  return new Map(consumers.map(({ name, lag }) => [name, lag]));
}
