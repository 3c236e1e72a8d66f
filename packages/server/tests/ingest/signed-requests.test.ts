import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newSecretText } from '../../src/ingest/sources/secret.rules.ts';
import {
  feedIds,
  idsOf,
  makeEvent,
  makeEvents,
  postEvents,
  type SentEvent,
} from '../support/events/events.ts';
import { nowInSeconds, registerSource, webhookHeaders } from '../support/events/signing.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

async function newSender(source = `https://${randomUUID()}.example/orders`) {
  const { id: spaceId } = await makeSpace(client, session);
  const registered = await registerSource(client, session, spaceId, { source });
  const key = await makeKey(client, session, spaceId, ['read']);
  const path = `/spaces/${spaceId}/event-sources/${registered.id}`;
  return { spaceId, path, key, source, secret: registered.secret };
}

interface Sending {
  readonly secret: string | readonly string[];
  readonly query?: string;
  readonly id?: string;
  readonly timestamp?: number;
  readonly sent?: string;
  readonly headers?: Record<string, string>;
}

async function send(events: readonly unknown[] | string, sending: Sending) {
  const body = typeof events === 'string' ? events : JSON.stringify({ events });
  const headers = { ...webhookHeaders(body, sending.secret, sending), ...sending.headers };
  return postEvents(client, { headers, body: sending.sent ?? body }, sending.query);
}

async function assertAccepted(events: readonly SentEvent[], sending: Sending, key: string) {
  const answer = await send(events, sending);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json['eventIds'], idsOf(events));
  const ids = await feedIds(client, key);
  for (const id of idsOf(events)) assert.ok(ids.includes(id));
}

/** Asserts that the response is a 401 without the secret. Returns the response body. */
async function assertRefused(
  events: readonly unknown[] | string,
  sending: Sending,
  code = 'events.signature-refused',
): Promise<string> {
  const answer = await send(events, sending);
  assert.equal(answer.status, 401, answer.text);
  assert.equal(answer.json['code'], code);
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  for (const secret of [sending.secret].flat()) assert.ok(!answer.text.includes(secret.slice(6)));
  return answer.text;
}

test('a body signed with Standard Webhooks is stored in the space of its source', async () => {
  const { source, secret, key, spaceId } = await newSender();
  await assertAccepted([makeEvent({ source })], { secret }, key);
  await assertAccepted(makeEvents(100, { source, data: 'ä€😀' }), { secret }, key);
  await assertAccepted([makeEvent({ source })], { secret, query: `?spaceId=${spaceId}` }, key);
  await assertAccepted([makeEvent({ source })], { secret: [newSecretText(), secret] }, key);
});

test('every JSON format accepts a body signed with Standard Webhooks, even if the body is compressed', async () => {
  const { source, secret, key } = await newSender();
  const one = makeEvent({ source });
  const two = makeEvents(2, { source });
  const own = makeEvents(2, { source });
  for (const [type, body, pack] of [
    ['application/cloudevents+json', JSON.stringify(one), undefined],
    ['application/cloudevents-batch+json; charset=utf-8', JSON.stringify(two), undefined],
    ['application/json', JSON.stringify({ events: own }), gzipSync],
  ] as const) {
    const headers = {
      ...webhookHeaders(body, secret),
      'content-type': type,
      ...(pack === undefined ? {} : { 'content-encoding': 'gzip' }),
    };
    const sent = pack === undefined ? body : new Uint8Array(pack(body));
    const answer = await postEvents(client, { headers, body: sent });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json['success'], true);
  }
  assert.deepEqual(await feedIds(client, key), idsOf([one, ...two, ...own]));
});

test('binary mode requires an API key or session, because the signature does not cover the event attributes', async () => {
  const { source, secret, spaceId } = await newSender();
  const body = 'data';
  const headers = {
    ...webhookHeaders(body, secret),
    'content-type': 'text/plain',
    'ce-specversion': '1.0',
    'ce-id': randomUUID(),
    'ce-source': source,
    'ce-type': 'test.order.paid',
  };
  const refused = await postEvents(client, { headers, body });
  assert.equal(refused.status, 401);
  assert.match(refused.text, /In binary mode .* Send the event as application\/cloudevents\+json/);
  const query = `?spaceId=${spaceId}`;
  assert.equal((await postEvents(client, { headers, body, as: session }, query)).status, 200);
});

test('accepts signatures made with a secret that the client chose', async () => {
  const { spaceId, key } = await newSender();
  const secret = newSecretText();
  await registerSource(client, session, spaceId, { source: 'urn:given', secret });
  await assertAccepted([makeEvent({ source: 'urn:given' })], { secret }, key);
});

test('accepts both secrets during a rotation and only the new secret afterwards', async () => {
  const { source, secret, key, path } = await newSender();
  const rotate = async (body: object) =>
    String((await client(`${path}/secrets`, { as: session, body })).json['secret']);
  const second = await rotate({});
  await assertAccepted([makeEvent({ source })], { secret }, key);
  await assertAccepted([makeEvent({ source })], { secret: second }, key);
  await assertAccepted([makeEvent({ source })], { secret: [secret, second] }, key);
  const third = await rotate({ keepOldSeconds: 60 });
  await assertRefused([makeEvent({ source })], { secret });
  await assertAccepted([makeEvent({ source })], { secret: second }, key);
  const fourth = await rotate({ keepOldSeconds: 0 });
  for (const ended of [second, third])
    await assertRefused([makeEvent({ source })], { secret: ended });
  await assertAccepted([makeEvent({ source })], { secret: fourth }, key);
});

test('rejects the previous secret after the rotation period', async () => {
  const { source, secret, path } = await newSender();
  await client(`${path}/secrets`, { as: session, body: { keepOldSeconds: 1 } });
  const shown = await client(path, { as: session });
  const [, old] = shown.json['secrets'] as { endsAt: string }[];
  let lastUse = 0;
  for (;;) {
    const startedAt = Date.now();
    const { status } = await send([makeEvent({ source })], { secret });
    if (status === 401) break;
    lastUse = startedAt;
  }
  assert.ok(lastUse > 0 && lastUse < Date.parse(old?.endsAt ?? ''));
});

test('returns the same error for a wrong secret, body, ID and timestamp', async () => {
  const { source, secret, key } = await newSender();
  const event = makeEvent({ source, data: { total: 10 } });
  const body = JSON.stringify({ events: [event] });
  const texts = [
    await assertRefused([event], { secret: newSecretText() }),
    await assertRefused(body, { secret, sent: body.replace('10', '1000') }),
    await assertRefused(body, { secret, sent: `${body} ` }),
    await assertRefused(body, { secret, headers: { 'webhook-id': 'another' } }),
    await assertRefused(body, {
      secret,
      timestamp: nowInSeconds() - 1,
      headers: { 'webhook-timestamp': String(nowInSeconds()) },
    }),
    await assertRefused([makeEvent({ source: 'urn:nobody' })], { secret }),
    await assertRefused([makeEvent({ source: `${source}/below` })], { secret }),
    await assertRefused([], { secret }),
    await assertRefused([7, {}, { source: 7 }], { secret }),
  ];
  assert.equal(new Set(texts).size, 1);
  assert.deepEqual(await feedIds(client, key), []);
});

test('rejects a timestamp that differs by more than five minutes and reports the difference', async () => {
  const { source, secret } = await newSender();
  for (const [off, words] of [
    [-400, /webhook-timestamp: is 40\d seconds behind the server's clock/],
    [400, /webhook-timestamp: is (39\d|400) seconds ahead of the server's clock/],
  ] as const) {
    const timestamp = nowInSeconds() + off;
    const text = await assertRefused(
      [makeEvent({ source })],
      { secret, timestamp },
      'events.webhook-headers-invalid',
    );
    assert.match(text, words);
  }
});

test('stores the events of a repeated request once, even if the repeated request has a new signature', async () => {
  const { source, secret, key } = await newSender();
  const event = makeEvent({ source, data: 1 });
  const body = JSON.stringify({ events: [event] });
  const headers = webhookHeaders(body, secret);
  for (let time = 0; time < 3; time++) {
    const { status, json } = await postEvents(client, { headers, body });
    assert.deepEqual([status, json['processed']], [200, 1]);
  }
  await assertAccepted([event], { secret, id: headers['webhook-id'] ?? '' }, key);
  await assertAccepted([{ ...event, data: 2 }], { secret }, key);
  assert.deepEqual(await feedIds(client, key), idsOf([event]));
  const page = await client('/events', { as: key });
  const [item] = page.json['items'] as { event: { data: number } }[];
  assert.equal(item?.event.data, 1);
});

test('rejects a signature made with the secret of another space', async () => {
  const mine = await newSender();
  const theirs = await newSender();
  const event = makeEvent({ source: mine.source });
  await assertRefused([event], { secret: theirs.secret });
  await assertRefused([event], { secret: mine.secret, query: `?spaceId=${theirs.spaceId}` });
  await assertRefused([event], { secret: mine.secret, query: `?spaceId=${randomUUID()}` });
  assert.deepEqual(await feedIds(client, theirs.key), []);
});

test('the secret selects the space if several spaces have the same source; equal secrets require ?spaceId=', async () => {
  const mine = await newSender();
  const theirs = await newSender(mine.source);
  await assertAccepted([makeEvent({ source: mine.source })], mine, mine.key);
  await assertAccepted([makeEvent({ source: mine.source })], theirs, theirs.key);
  assert.equal((await feedIds(client, mine.key)).length, 1);
  const body = { secret: mine.secret };
  await client(`${theirs.path}/secrets`, { as: session, body });
  await assertRefused([makeEvent({ source: mine.source })], mine);
  const named = { ...mine, query: `?spaceId=${theirs.spaceId}` };
  await assertAccepted([makeEvent({ source: mine.source })], named, theirs.key);
});

test('a source that is registered in more than eight spaces requires ?spaceId=', async () => {
  const source = `urn:everywhere:${randomUUID()}`;
  const senders = [];
  for (let count = 0; count < 9; count++) senders.push(await newSender(source));
  const [first] = senders;
  assert.ok(first);
  await assertRefused([makeEvent({ source })], first);
  await assertAccepted(
    [makeEvent({ source })],
    { ...first, query: `?spaceId=${first.spaceId}` },
    first.key,
  );
});

test('a batch with several sources needs a valid signature for each source', async () => {
  const { spaceId, source, secret, key } = await newSender();
  const other = `urn:other:${randomUUID()}`;
  const batch = [makeEvent({ source }), makeEvent({ source: other })];
  await assertRefused(batch, { secret });
  const registered = await registerSource(client, session, spaceId, { source: other });
  await assertRefused(batch, { secret });
  await assertRefused(batch, { secret: registered.secret });
  await assertAccepted(batch, { secret: [secret, registered.secret] }, key);
  const elsewhere = await newSender();
  const across = [makeEvent({ source }), makeEvent({ source: elsewhere.source })];
  await assertRefused(across, { secret: [secret, elsewhere.secret] });
});

test('only the secret of the most specific matching source can sign an event', async () => {
  const { spaceId, key } = await newSender();
  const root = `https://${randomUUID()}.example`;
  const wide = await registerSource(client, session, spaceId, { source: root, match: 'prefix' });
  await assertAccepted([makeEvent({ source: `${root}/orders/1` })], wide, key);
  const prefix = { source: `${root}/orders`, match: 'prefix' } as const;
  const narrow = await registerSource(client, session, spaceId, prefix);
  const exact = await registerSource(client, session, spaceId, { source: `${root}/orders` });
  const cases = [
    [`${root}/other`, wide],
    [`${root}/orders-old`, wide],
    [`${root}/orders/1`, narrow],
    [`${root}/orders`, exact],
  ] as const;
  for (const [source, decider] of cases)
    for (const sender of [wide, narrow, exact])
      if (sender === decider) await assertAccepted([makeEvent({ source })], sender, key);
      else await assertRefused([makeEvent({ source })], sender);
  await assertRefused([makeEvent({ source: `${root}.evil/orders` })], wide);
});

test('rejects only the invalid events of a signed batch', async () => {
  const { source, secret, key } = await newSender();
  const good = makeEvent({ source });
  const batch = [makeEvent({ source, time: 'now' }), good, makeEvent({ source: 7 }), 'none'];
  const { status, json } = await send(batch, { secret });
  assert.equal(status, 200);
  assert.deepEqual(json['eventIds'], idsOf([good]));
  assert.deepEqual(
    (json['errors'] as { index: number }[]).map(({ index }) => index),
    [0, 2, 3],
  );
  assert.deepEqual(await feedIds(client, key), idsOf([good]));
  const alone = await send([makeEvent({ source, time: 'now' })], { secret });
  assert.deepEqual([alone.status, alone.json['failed']], [200, 1]);
});

test('rejects signatures of a deleted source or space from the next request on', async () => {
  const one = await newSender();
  await assertAccepted([makeEvent({ source: one.source })], one, one.key);
  await client(one.path, { method: 'DELETE', as: session });
  await assertRefused([makeEvent({ source: one.source })], one);
  const two = await newSender();
  await assertAccepted([makeEvent({ source: two.source })], two, two.key);
  await client(`/spaces/${two.spaceId}`, { method: 'DELETE', as: session });
  await assertRefused([makeEvent({ source: two.source })], two);
  const named = { ...two, query: `?spaceId=${two.spaceId}` };
  await assertRefused([makeEvent({ source: two.source })], named);
});
