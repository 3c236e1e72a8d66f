import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry, IngestResult } from '@gatehouse/contract';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { NO_NATS, startNats } from '../support/brokers/nats-server.ts';
import { makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver, verifyNow } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const receiver = await startReceiver();
after(() => receiver[Symbol.asyncDispose]());

async function prepare() {
  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const { id } = await makeSpace(client, session);
  return { session, spaceId: id, key: await makeKey(client, session, id) };
}

const KILLS = roundsOf(2, 50);
const SENDING_MS = 400;
const CLIENTS = 4;
const random = seeded(SEED);

const { session, spaceId, key } = await prepare();
const env = { GATEHOUSE_AUDIT_SPACE: spaceId.toUpperCase(), ...ALLOW_RECEIVERS };

interface AuditEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: AuditEntry;
}

test('the audit reaches a subscription of its space as signed events, also after a kill', async () => {
  let secret: string;
  {
    const service = await startService(directory.path, { env });
    const client = clientOf(service.url);
    ({ secret } = await subscribingIn(client, session, spaceId).subscribe({
      url: receiver.url,
      types: ['gatehouse.audit.link.*'],
    }));
    await makeLink(client, key, { sub: 'ada' });
    await service.stop('SIGKILL');
  }
  await using service = await startService(directory.path, { env });
  const client = clientOf(service.url);
  await makeLink(client, key, { sub: 'ben' });
  await until('both links have been delivered', () => receiver.taken().length >= 2);
  assert.equal(new Set(receiver.taken()).size, 2);
  for (const received of receiver.received) assert.ok(verifyNow(received, secret));
  const [first] = receiver.received.map(({ event }) => event as unknown as AuditEvent);
  assert.equal(first?.type, 'gatehouse.audit.link.created');
  assert.equal(first.data.sub, 'ada');
  assert.equal(first.subject, `link/${first.data.resource.id}`);

  const { json } = await client('/audit?action=link.created', { as: session });
  const entries = json['items'] as AuditEntry[];
  assert.deepEqual(receiver.taken().toSorted(), entries.map(({ id }) => id).toSorted());
  const feed = await client(`/events?spaceId=${spaceId}&limit=200`, { as: session });
  const ids = (feed.json['items'] as { event: AuditEvent }[]).map(({ event }) => event.id);
  assert.equal(new Set(ids).size, ids.length);

  // Sending, delivering and reading leave no entries, so no loop can start.
  const types = (feed.json['items'] as { event: AuditEvent }[]).map(({ event }) => event.type);
  assert.deepEqual([...new Set(types)].toSorted(), [
    'gatehouse.audit.link.created',
    'gatehouse.audit.settings.changed',
    'gatehouse.audit.subscription.created',
  ]);

  const forged = { ...makeEvent(), type: 'gatehouse.audit.link.created' };
  for (const [type, body] of [
    ['application/json', { events: [forged] }],
    ['application/cloudevents+json', forged],
  ] as const) {
    const answer = await client('/events', { as: key, body, headers: { 'content-type': type } });
    const { processed, errors } = answer.json as unknown as IngestResult;
    assert.equal(processed, 0, answer.text);
    assert.match(errors?.[0]?.error ?? '', /^type: must not start with gatehouse\.audit\./);
  }
});

test('the audit reaches a broker and a subscription as CloudEvents without loss, although the service is killed at random times', {
  skip: NO_NATS,
}, async () => {
  await using nats = await startNats();
  await nats.addStream();
  await using webhook = await startReceiver();
  const start = () =>
    startService(directory.path, { env: { ...env, GATEHOUSE_NATS_URL: nats.url } });
  const types = ['gatehouse.audit.link.created'];
  let made = 0;

  async function makeLinksUntilKilled(client: Client) {
    for (;;) {
      const body = { sub: `person ${made}` };
      const answer = await client('/assistant-link', { as: key, body }).catch(() => null);
      if (answer === null) return;
      assert.equal(answer.status, 200, answer.text);
      made += 1;
    }
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const service = await start();
    const client = clientOf(service.url);
    if (kill === 0)
      await subscribingIn(client, session, spaceId).subscribe({ url: webhook.url, types });
    const clients = Array.from({ length: CLIENTS }, () => makeLinksUntilKilled(client));
    await sleep(random.below(SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await start();
  const client = clientOf(service.url);
  const entries = (await auditOfLinks(client)).filter(({ sub }) => sub?.startsWith('person '));
  assert.ok(entries.length >= made, `${entries.length} entries of ${made} links`);
  const expected = new Set(entries.map(({ id }) => id));
  const published = async () => {
    const events = (await nats.messages()).map(({ text }) => JSON.parse(text) as AuditEvent);
    return events.filter(({ type }) => types.includes(type));
  };
  await until(
    'each entry is published',
    async () =>
      (await nats.count()) >= entries.length &&
      expected.isSubsetOf(new Set((await published()).map(({ id }) => id))),
    30_000,
  );
  await until(
    'each entry is delivered',
    () => expected.isSubsetOf(new Set(webhook.taken())),
    30_000,
  );
  const byId = new Map((await published()).map((event) => [event.id, event]));
  assert.deepEqual(new Set(byId.keys()), expected);
  for (const entry of entries) assert.deepEqual(byId.get(entry.id)?.data, entry);
});

async function auditOfLinks(client: Client): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let after: unknown = ''; after !== null; ) {
    const query = new URLSearchParams({ action: 'link.created', limit: '200' });
    if (after !== '') query.set('after', String(after));
    const { json } = await client(`/audit?${query}`, { as: session });
    entries.push(...(json['items'] as AuditEntry[]));
    after = json['next'];
  }
  return entries;
}
