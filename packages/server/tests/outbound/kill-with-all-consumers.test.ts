/**
 * The crash test of all that goes on from the log: clients send, among others events about documents, while
 * a subscription, a sink and the knowledge follow, and the process is killed with SIGKILL at a random moment
 * and started again on the same data directory, round after round. `GATEHOUSE_TEST_SEED` repeats the choices of a run; where they meet the process is chance.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '../support/campaign.ts';
import { type Client, clientOf } from '../support/client.ts';
import { assertDelivered, lanesOf } from '../support/delivered.ts';
import { documentEvent } from '../support/document-events.ts';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../support/events.ts';
import { assertInStep, documentsSaid, type Said } from '../support/in-step.ts';
import { type NatsServer, NO_NATS, startNats } from '../support/nats-server.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/receiver.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { subscribingIn } from '../support/subscribing.ts';
import { until } from '../support/until.ts';

const ROUNDS = roundsOf(4, 200);
const SUBJECTS = 30;
const CLIENTS = 3;
const MAX_EVENTS = 12;
const SENDING_MS = 500;
const random = seeded(SEED);

let versions = 0;
const sent: SentEvent[] = [];

/** Mostly a new version of a document; else only new metadata, a deletion, nonsense, another event, or one of before. */
function nextEvent(): SentEvent {
  const kind = random.next();
  if (kind < 0.1 && sent.length > 0) return random.pick(sent);
  const subject = `s${random.below(SUBJECTS)}`;
  if (kind < 0.25) return makeEvent({ subject, data: 'x'.repeat(random.below(500)) });
  if (kind < 0.4) return documentEvent({ subject });
  if (kind < 0.45) return documentEvent({ subject, data: { fileName: 'a/b' } });
  versions += 1;
  const version = versions;
  const words = `of ${subject} `.repeat(random.below(400));
  const text = kind < 0.55 ? `Standing ${subject}.` : `Word w${version}x ${words}`;
  const metadata = { version, team: random.pick(['a', 'b']) };
  return documentEvent({ subject, data: { fileName: `${subject}.txt`, text, metadata } });
}

async function sendUntilItBreaks(client: Client, key: string, acknowledged: Set<unknown>) {
  for (;;) {
    const events = Array.from({ length: 1 + random.below(MAX_EVENTS) }, nextEvent);
    const answer = await client('/events', { as: key, body: { events } }).catch(() => null);
    sent.push(...events);
    if (answer === null) return;
    assert.deepEqual([answer.status, answer.json['failed']], [200, 0], answer.text);
    for (const { id } of events) acknowledged.add(id);
  }
}

/** That a search finds the words of what stands, under its metadata, and none of what stood before. */
async function assertFound(client: Client, as: string, spaceId: string, feed: SentEvent[]) {
  const standing = documentsSaid(feed);
  for (const { subject, data } of feed as { subject: string; data?: Said }[]) {
    const [word] = /w\d+x/.exec(data?.text ?? '') ?? [];
    if (word === undefined || random.next() < 0.5) continue;
    const now = standing.get(`${subject}.txt`);
    const stands = now?.text.includes(word) ?? false;
    const filter = stands ? { filter: { version: { eq: now?.metadata['version'] } } } : {};
    const body = { query: `"${word}"`, ...filter };
    const found = await client(`/spaces/${spaceId}/search`, { as, body });
    assert.equal((found.json['items'] as unknown[]).length > 0, stands, `${word}: ${found.text}`);
  }
}

/** That the stream has every event of the feed, once, and each lane in its order. */
async function assertStreamed(nats: NatsServer, feed: readonly SentEvent[]): Promise<void> {
  await until('all is in the stream', async () => (await nats.count()) >= feed.length);
  const streamed = (await nats.messages()).map(({ text }) => JSON.parse(text) as SentEvent);
  assert.deepEqual(idsOf(streamed).toSorted(), idsOf(feed).toSorted());
  const lanes = (events: readonly SentEvent[]) => lanesOf(events).map(idsOf).toSorted();
  assert.deepEqual(lanes(streamed), lanes(feed));
}

test(`after ${ROUNDS} kills each reader has got every event, in order, and documents are what events say`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  using directory = temporaryDirectory();
  await using opened = new AsyncDisposableStack();
  const receiver = opened.use(await startReceiver());
  receiver.behave(() => ({ status: random.next() < 0.05 ? 500 : 200 }));
  const nats = NO_NATS === false ? opened.use(await startNats()) : null;
  if (nats === null) t.diagnostic(`without a sink: ${NO_NATS}`);
  await nats?.addStream();
  const options = {
    env: { ...ALLOW_RECEIVERS, ...(nats === null ? {} : { GATEHOUSE_NATS_URL: nats.url }) },
  };

  const acknowledged = new Set<unknown>();
  let [spaceId, key] = ['', ''];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using service = await startService(directory.path, options);
    const client = clientOf(service.url);
    if (key === '') {
      const session = await signIn(client);
      spaceId = (await makeSpace(client, session)).id;
      key = await makeKey(client, session, spaceId, ['events:write', 'knowledge:write', 'read']);
      await subscribingIn(client, session, spaceId).subscribe({ url: receiver.url });
    }
    const clients = Array.from({ length: CLIENTS }, () =>
      sendUntilItBreaks(client, key, acknowledged),
    );
    await sleep(random.below(SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await startService(directory.path, options);
  const client = clientOf(service.url);
  const feed = (await readFeed(client, key)).items.map(({ event }) => event);
  const ids = new Set<unknown>(idsOf(feed));
  assert.equal(ids.size, feed.length, 'an event is in the feed twice');
  assert.deepEqual(
    [...acknowledged].filter((id) => !ids.has(id)),
    [],
    'an event is lost',
  );

  await assertInStep(client, key, spaceId, feed);
  await assertFound(client, key, spaceId, feed);
  const taken = () => new Set(receiver.taken());
  await until('all is delivered', () => taken().size >= feed.length);
  assertDelivered(receiver, feed);
  if (nats !== null) await assertStreamed(nats, feed);
  t.diagnostic(
    `${feed.length} events, ${documentsSaid(feed).size} documents, ${receiver.received.length} requests`,
  );
  assert.equal(await service.stop(), 0);
});
