/**
 * Copies a service with all kinds of data from SQLite to PostgreSQL and back to a new data directory. The copy command
 * is killed repeatedly. A service on each copy must return exactly the same responses as the original service.
 *
 * `GATEHOUSE_TEST_SEED` reproduces the times of the kills, but not the progress of the copy at these times.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { newEmptyDatabase } from '../../src/storage/postgres/database.suite.ts';
import { Chat } from '../support/assistant/chat.ts';
import { idsOf, ingest, makeEvents, readFeed, type SentEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { registerSource, signedEvent } from '../support/events/signing.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { documentEvent } from '../support/knowledge/document-events.ts';
import { addDocument, untilIndexed } from '../support/knowledge/knowledge.ts';
import {
  exchangeLink,
  giveRole,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { runCommand, runService } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES, withoutWarnings } from '../support/storage/backend.ts';
import { until } from '../support/until.ts';

const random = seeded(SEED);
const KILLS = FULL ? 20 : 1;
const MAX_LINES = 25;
const TRY_LATER = 75;
const MAX_DELAY_MS = 50;
const REJECTED_WITHIN_MS = 60_000;
const SOURCE = 'urn:signed:shop';

const skip = ON_POSTGRES ? 'uses both backends' : postgresIsMissing;
const secret = { GATEHOUSE_SECRET: randomBytes(32).toString('base64') };
/** Widget sessions contain the base URL, so all services in this test use the same base URL. */
const env = { ...secret, ...ALLOW_RECEIVERS, GATEHOUSE_BASE_URL: 'http://gate.example' };

/** The data of a service and the credentials of its clients. */
interface Used {
  readonly session: string;
  readonly key: string;
  readonly spaceId: string;
  readonly linkToken: string;
  readonly revokedToken: string;
  readonly widget: string;
  readonly conversation: string;
  readonly documentId: string;
  readonly sourceSecret: string;
  readonly subscription: string;
  readonly sent: readonly SentEvent[];
}

async function useEverything(client: Client, url: string, target: string): Promise<Used> {
  const session = await signIn(client);
  const { id: spaceId, botId } = await makeSpace(client, session, {
    allowedOrigins: ['https://shop.example'],
  });
  const user = await makeUser(client, session, 'grace');
  await giveRole(client, session, botId, user.id, 'viewer');
  const scopes = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;
  const key = await makeKey(client, session, spaceId, scopes);
  const { secret: sourceSecret } = await registerSource(client, session, spaceId, {
    source: SOURCE,
  });
  const { subscribe } = subscribingIn(client, session, spaceId);
  const { id: subscription } = await subscribe({ url: target, types: ['test.*'] });

  const metadata = { audience: ['staff'], year: 2026, note: 'Ünïcode', nested: { a: null } };
  const words = Array.from({ length: 3000 }, (_, index) => `Sentence ${index} of returns.`);
  const { id: documentId } = await addDocument(client, key, spaceId, {
    fileName: 'returns.md',
    markdown: `# Returns\n\n${words.join('\n\n')}\n\n## Refunds\n\nA refund takes 5 days.`,
    metadata,
  });
  await addDocument(client, key, spaceId, { fileName: 'secret.txt', text: 'Refunds, for nobody.' });

  const sent: SentEvent[] = [];
  for (let batch = 0; batch < 40; batch++) {
    const events = makeEvents(50, { subject: `s${batch % 7}`, data: { text: 'é'.repeat(200) } });
    events.push(documentEvent({ subject: `d${batch % 5}`, data: said(batch) }));
    await ingest(client, { as: key, body: { events } });
    sent.push(...events);
  }
  await untilIndexed(client, key, spaceId);
  const permissionFilter = { audience: { eq: 'staff' } };
  const link = await makeLink(client, key, { sub: 'ada', permissionFilter, spaceId });
  const revoked = await makeLink(client, key, { spaceId });
  await client(`/assistant-link/${revoked.id}`, { method: 'DELETE', as: key });
  const widget = await exchangeLink(client, link.token);
  const answer = await new Chat(url, widget).ask('How long does a refund take?');
  const conversation = String(answer.metadata?.conversationId);
  return {
    session,
    key,
    spaceId,
    linkToken: link.token,
    revokedToken: revoked.token,
    widget,
    conversation,
    documentId,
    sourceSecret,
    subscription,
    sent,
  };
}

function said(version: number) {
  return { fileName: `d${version % 5}.txt`, text: `Version ${version}.`, metadata: { version } };
}

/** Returns the response texts of a set of requests, by request. */
async function snapshot(client: Client, used: Used): Promise<Map<string, string>> {
  const { session, key, widget, spaceId } = used;
  const space = `/spaces/${spaceId}`;
  const requests: [string, string][] = [
    ['/users', session],
    ['/spaces', session],
    [space, session],
    [`${space}/bots`, session],
    [`${space}/api-keys`, session],
    [`${space}/event-sources`, session],
    [`${space}/subscriptions`, session],
    [`${space}/subscriptions/${used.subscription}/deliveries?limit=200`, session],
    [`${space}/documents?limit=100`, key],
    [`${space}/documents/${used.documentId}`, key],
    [`${space}/documents/${used.documentId}/content`, key],
    [`${space}/documents/${used.documentId}/passages`, key],
    [`${space}/document-events`, session],
    [`/assistant-link?spaceId=${spaceId}`, key],
    ['/chat/conversations', widget],
    [`/chat/conversations/${used.conversation}`, widget],
    ['/.well-known/jwks.json', key],
  ];
  const texts = new Map<string, string>();
  for (const [path, as] of requests) {
    const answer = await client(path, { as });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    // These times differ between the services: requests change them, and the service stores them with a delay.
    texts.set(path, answer.text.replace(/"(lastDeliveredAt|lastUsedAt)":"[^"]*"/g, '"$1":"…"'));
  }
  for (let after = '', page = 0; ; page++) {
    const answer = await client(`/events?limit=200${after}`, { as: key });
    texts.set(`feed ${page}`, answer.text);
    const { next } = answer.json;
    if (typeof next !== 'string') break;
    after = `&after=${next}`;
  }
  for (const [query, as] of [
    ['refund', key],
    ['refund', widget],
    ['"Version 39"', key],
    ['sentence 2999', widget],
  ] as const) {
    const answer = await client(`${space}/search`, { as, body: { query } });
    assert.equal(answer.status, 200, answer.text);
    const items = answer.json['items'] as { documentId: string; fileName: string }[];
    const found = items.map(({ documentId, fileName }) => `${documentId} ${fileName}`);
    assert.ok(found.length > 0, query);
    texts.set(`search ${query} ${as === key}`, [...new Set(found)].toSorted().join());
  }
  return texts;
}

/** Asserts that the credentials of clients, deduplication and ID sequences still work. */
async function assertContinues(client: Client, used: Used): Promise<void> {
  const { key, session } = used;
  const { items } = await readFeed(client, key);
  const repeated = await ingest(client, { as: key, body: { events: used.sent.slice(-100) } });
  assert.deepEqual(repeated.eventIds, idsOf(used.sent.slice(-100)));
  assert.equal(
    (await readFeed(client, key)).items.length,
    items.length,
    'duplicates are not stored',
  );
  await exchangeLink(client, used.linkToken);
  const revoked = await client('/assistant-link/exchange', {
    body: { linkToken: used.revokedToken },
  });
  assert.equal(revoked.json['code'], 'links.revoked');
  const event = signedEvent(makeEvents(1, { source: SOURCE })[0] ?? {}, used.sourceSecret);
  await ingest(client, { body: { events: [event] } });
  const bots = async () => {
    const listed = await client(`/spaces/${used.spaceId}/bots`, { as: session });
    return (listed.json['items'] as { id: number }[]).map(({ id }) => id);
  };
  const before = await bots();
  await client(`/spaces/${used.spaceId}/bots`, { as: session, body: { name: 'Another' } });
  const after = await bots();
  assert.ok(Math.max(...after) > Math.max(...before));
  await addDocument(client, key, used.spaceId, {
    fileName: `after-${before.length}.txt`,
    text: 'Written after the copy.',
  });
}

/** Runs the copy command until it finishes, and kills it several times before that. Returns the number of kills. */
async function copyWithKills(from: string, to: string): Promise<number> {
  for (let kills = 0; ; kills++) {
    const { process, ended } = runCommand(['copy', '--from', from, '--to', to], {});
    // The first line is printed before the target is marked as unfinished.
    if (kills < KILLS)
      killAfter(process, 2 + random.below(MAX_LINES - 1), random.below(MAX_DELAY_MS));
    const { code, stdout, stderr } = await ended;
    // The last write of the killed copy may still be in flight.
    if (code === TRY_LATER) {
      await sleep(500);
      kills -= 1;
      continue;
    }
    if (code === null) {
      if (kills === 0) await assertRejected(to, 'a copy into this database is unfinished');
      continue;
    }
    // The previous process was killed after it had finished the copy but before it exited.
    if (kills > 0 && stderr.includes('already contains this copy, complete and compared')) {
      assert.equal(code, 78);
      return kills;
    }
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Source and target are identical\./);
    return kills;
  }
}

/** Asserts that a service on this store refuses to start and reports the reason. */
async function assertRejected(store: string, reason: string, settings: object = {}): Promise<void> {
  const name = store.startsWith('postgres:') ? 'GATEHOUSE_DATABASE_URL' : 'GATEHOUSE_DATA_DIR';
  const { process, ended } = runService({ ...env, [name]: store, ...settings });
  // A service that starts although it should not would never end.
  const timer = setTimeout(() => process.kill('SIGKILL'), REJECTED_WITHIN_MS);
  const { code, stderr } = await ended;
  clearTimeout(timer);
  assert.equal(code, 78, stderr);
  assert.ok(stderr.includes(reason), stderr);
}

/** Kills a process some milliseconds after it has printed a number of progress lines. */
function killAfter(process: ChildProcess, lines: number, milliseconds: number): void {
  let printed = 0;
  process.stderr?.on('data', (chunk: Buffer) => {
    printed += withoutWarnings(chunk.toString()).split('\n').length - 1;
    if (printed >= lines) setTimeout(() => process.kill('SIGKILL'), milliseconds);
  });
}

test('all data is copied to PostgreSQL and back without changes, although the copy command is killed repeatedly', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  using directory = temporaryDirectory();
  using elsewhere = temporaryDirectory();
  using back = temporaryDirectory();
  await using receiver = await startReceiver();
  const url = await newEmptyDatabase();
  let used: Used;
  let before: Map<string, string>;
  {
    await using service = await startService(directory.path, { env });
    const client = clientOf(service.url);
    used = await useEverything(client, service.url, receiver.url);
    await until('all events are delivered', () => receiver.taken().length >= 2000);
    await until('the deliveries are stored', async () => (await lagOf(client, used)) === 0);
    before = await snapshot(client, used);
  }
  t.diagnostic(`${await copyWithKills(directory.path, url)} kills on the way to PostgreSQL`);
  const other = { GATEHOUSE_SECRET: randomBytes(32).toString('base64') };
  await assertRejected(url, 'is not the secret', other);
  const delivered = receiver.received.length;
  {
    const settings = { ...env, GATEHOUSE_DATABASE_URL: url };
    await using service = await startService(elsewhere.path, { env: settings });
    const client = clientOf(service.url);
    assert.deepEqual(await snapshot(client, used), before);
    assert.equal(receiver.received.length, delivered, 'no event is delivered again');
    await assertContinues(client, used);
    await until('new events are delivered', async () => (await lagOf(client, used)) === 0);
    before = await snapshot(client, used);
  }
  t.diagnostic(`${await copyWithKills(url, back.path)} kills on the way back`);
  await using service = await startService(back.path, { env });
  const client = clientOf(service.url);
  assert.deepEqual(await snapshot(client, used), before);
  await assertContinues(client, used);
});

async function lagOf(client: Client, { session, spaceId, subscription }: Used): Promise<unknown> {
  const path = `/spaces/${spaceId}/subscriptions/${subscription}`;
  return (await client(path, { as: session })).json['lag'];
}
