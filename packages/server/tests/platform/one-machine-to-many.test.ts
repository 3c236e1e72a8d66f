/**
 * From one machine to many and back: a service on SQLite that was used with everything is copied to PostgreSQL,
 * by a command that is killed again and again, and the same is copied to a new data directory. Each time the
 * service that starts on the copy gives the same answers, to the byte.
 *
 * `GATEHOUSE_TEST_SEED` repeats when the command is killed; where exactly that meets it is chance.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { newEmptyDatabase } from '../../src/storage/postgres/database.suite.ts';
import { ON_POSTGRES, withoutWarnings } from '../support/backend.ts';
import { FULL, SEED } from '../support/campaign.ts';
import { Chat } from '../support/chat.ts';
import { type Client, clientOf } from '../support/client.ts';
import { documentEvent } from '../support/document-events.ts';
import { idsOf, ingest, makeEvents, readFeed, type SentEvent } from '../support/events.ts';
import { addDocument, untilRead } from '../support/knowledge.ts';
import {
  exchangeLink,
  giveRole,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/receiver.ts';
import { runCommand, runService } from '../support/run-service.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { registerSource, signedEvent } from '../support/signing.ts';
import { subscribingIn } from '../support/subscribing.ts';
import { until } from '../support/until.ts';

const random = seeded(SEED);
const KILLS = FULL ? 20 : 2;
const MOST_LINES = 25;
const TRY_LATER = 75;
const MOST_MS = 50;
const SOURCE = 'urn:signed:shop';

const skip = ON_POSTGRES ? 'it uses both backends' : postgresIsMissing;
const secret = { GATEHOUSE_SECRET: randomBytes(32).toString('base64') };
/** Sessions hold the address of the service that made them. */
const env = { ...secret, ...ALLOW_RECEIVERS, GATEHOUSE_BASE_URL: 'http://gate.example' };

/** What a service was used with, and what its clients hold. */
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
  await untilRead(client, key, spaceId);
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

/** What clients see, by request: the texts of the answers. */
async function seen(client: Client, used: Used): Promise<Map<string, string>> {
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
    // It is written down a moment after it is shown.
    texts.set(path, answer.text.replace(/"lastDeliveredAt":"[^"]*"/, '"lastDeliveredAt":"…"'));
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

/** What is still true of what clients hold, besides what they see. */
async function assertGoesOn(client: Client, used: Used): Promise<void> {
  const { key, session } = used;
  const { items } = await readFeed(client, key);
  const again = await ingest(client, { as: key, body: { events: used.sent.slice(-100) } });
  assert.deepEqual(again.eventIds, idsOf(used.sent.slice(-100)));
  assert.equal((await readFeed(client, key)).items.length, items.length, 'they were known');
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

/** Runs the copy until it comes to its end, and kills it several times before, wherever it may have got. */
async function copyWithKills(from: string, to: string): Promise<number> {
  for (let kills = 0; ; kills++) {
    const { process, ended } = runCommand(['copy', '--from', from, '--to', to], {});
    if (kills < KILLS) killAfter(process, 1 + random.below(MOST_LINES), random.below(MOST_MS));
    const { code, stdout, stderr } = await ended;
    // What the one that was killed had under way may still come to its end.
    if (code === TRY_LATER) {
      await sleep(500);
      kills -= 1;
      continue;
    }
    if (code === null) {
      if (kills === 0) await assertRefused(to, 'a copy into this database is unfinished');
      continue;
    }
    // The one before was killed when it had done all and not said so.
    if (kills > 0 && stderr.includes('holds this copy already, whole and checked')) return kills;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Source and target are identical\./);
    return kills;
  }
}

/** No service starts on a place, and says why. */
async function assertRefused(place: string, why: string, settings: object = {}): Promise<void> {
  const name = place.startsWith('postgres:') ? 'GATEHOUSE_DATABASE_URL' : 'GATEHOUSE_DATA_DIR';
  const { code, stderr } = await runService({ ...env, [name]: place, ...settings }).ended;
  assert.equal(code, 78, stderr);
  assert.ok(stderr.includes(why), stderr);
}

/** Some milliseconds after it has told so often how far it is. */
function killAfter(process: ChildProcess, lines: number, milliseconds: number): void {
  let told = 0;
  process.stderr?.on('data', (chunk: Buffer) => {
    told += withoutWarnings(chunk.toString()).split('\n').length - 1;
    if (told >= lines) setTimeout(() => process.kill('SIGKILL'), milliseconds);
  });
}

test('a data directory moves to PostgreSQL and back, whenever the copy is killed, and clients notice nothing', {
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
    await until('all are delivered', () => receiver.taken().length >= 2000);
    await until('so it is kept', async () => (await lagOf(client, used)) === 0);
    before = await seen(client, used);
  }
  t.diagnostic(`${await copyWithKills(directory.path, url)} kills on the way to PostgreSQL`);
  const other = { GATEHOUSE_SECRET: randomBytes(32).toString('base64') };
  await assertRefused(url, 'is not the secret', other);
  const delivered = receiver.received.length;
  {
    const settings = { ...env, GATEHOUSE_DATABASE_URL: url };
    await using service = await startService(elsewhere.path, { env: settings });
    const client = clientOf(service.url);
    assert.deepEqual(await seen(client, used), before);
    assert.equal(receiver.received.length, delivered, 'nothing is delivered once more');
    await assertGoesOn(client, used);
    await until('new ones are delivered', async () => (await lagOf(client, used)) === 0);
    before = await seen(client, used);
  }
  t.diagnostic(`${await copyWithKills(url, back.path)} kills on the way back`);
  await using service = await startService(back.path, { env });
  const client = clientOf(service.url);
  assert.deepEqual(await seen(client, used), before);
  await assertGoesOn(client, used);
});

/** Events that the subscription has not got to. */
async function lagOf(client: Client, { session, spaceId, subscription }: Used): Promise<unknown> {
  const path = `/spaces/${spaceId}/subscriptions/${subscription}`;
  return (await client(path, { as: session })).json['lag'];
}
