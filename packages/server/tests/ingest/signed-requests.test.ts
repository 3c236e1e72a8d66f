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
} from '../support/events.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { openShop } from '../support/shop.ts';
import { nowInSeconds, registerSource, webhookHeaders } from '../support/signing.ts';

const { client, session, ...shop } = await openShop();
after(() => shop[Symbol.asyncDispose]());

/** A space with an event source of its own, and a key that reads its feed. */
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
  /** What is sent in the place of what was signed. */
  readonly sent?: string;
  readonly headers?: Record<string, string>;
}

async function send(events: readonly unknown[] | string, sending: Sending) {
  const body = typeof events === 'string' ? events : JSON.stringify({ events });
  const headers = { ...webhookHeaders(body, sending.secret, sending), ...sending.headers };
  return postEvents(client, { headers, body: sending.sent ?? body }, sending.query);
}

async function assertTaken(events: readonly SentEvent[], sending: Sending, key: string) {
  const answer = await send(events, sending);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json['eventIds'], idsOf(events));
  const ids = await feedIds(client, key);
  for (const id of idsOf(events)) assert.ok(ids.includes(id));
}

/** Asserts the one answer that says nothing about which sources there are. */
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

test('a body signed by Standard Webhooks sends into the space of its source', async () => {
  const { source, secret, key, spaceId } = await newSender();
  await assertTaken([makeEvent({ source })], { secret }, key);
  await assertTaken(makeEvents(100, { source, data: 'ä€😀' }), { secret }, key);
  await assertTaken([makeEvent({ source })], { secret, query: `?spaceId=${spaceId}` }, key);
  await assertTaken([makeEvent({ source })], { secret: [newSecretText(), secret] }, key);
});

test('a body signed by Standard Webhooks comes through any door whose body is the events, packed or not', async () => {
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

test('in binary mode the attributes are not signed, so a signature proves nothing without a key', async () => {
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
  assert.match(refused.text, /In binary mode .* send the event as application\/cloudevents\+json/);
  const query = `?spaceId=${spaceId}`;
  assert.equal((await postEvents(client, { headers, body, as: session }, query)).status, 200);
});

test('a secret that was given signs as one that was made', async () => {
  const { spaceId, key } = await newSender();
  const secret = newSecretText();
  await registerSource(client, session, spaceId, { source: 'urn:given', secret });
  await assertTaken([makeEvent({ source: 'urn:given' })], { secret }, key);
});

test('while a secret is changed for another both sign, and then the old one does no more', async () => {
  const { source, secret, key, path } = await newSender();
  const rotate = async (body: object) =>
    String((await client(`${path}/secrets`, { as: session, body })).json['secret']);
  const second = await rotate({});
  await assertTaken([makeEvent({ source })], { secret }, key);
  await assertTaken([makeEvent({ source })], { secret: second }, key);
  await assertTaken([makeEvent({ source })], { secret: [secret, second] }, key);
  const third = await rotate({ keepOldSeconds: 60 });
  await assertRefused([makeEvent({ source })], { secret });
  await assertTaken([makeEvent({ source })], { secret: second }, key);
  const fourth = await rotate({ keepOldSeconds: 0 });
  for (const ended of [second, third])
    await assertRefused([makeEvent({ source })], { secret: ended });
  await assertTaken([makeEvent({ source })], { secret: fourth }, key);
});

test('a secret that is kept for a while ends by itself', async () => {
  const { source, secret, path } = await newSender();
  await client(`${path}/secrets`, { as: session, body: { keepOldSeconds: 1 } });
  const shown = await client(path, { as: session });
  const [, old] = shown.json['secrets'] as { endsAt: string }[];
  let lastUse = 0;
  for (;;) {
    const begun = Date.now();
    const { status } = await send([makeEvent({ source })], { secret });
    if (status === 401) break;
    lastUse = begun;
  }
  assert.ok(lastUse > 0 && lastUse < Date.parse(old?.endsAt ?? ''));
});

test('a wrong secret, an altered body, another id and another time are refused alike', async () => {
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

test('a time more than five minutes off is refused with how much it is', async () => {
  const { source, secret } = await newSender();
  for (const [off, words] of [
    [-400, /webhook-timestamp: is 40\d seconds behind the clock here/],
    [400, /webhook-timestamp: is (39\d|400) seconds ahead of the clock here/],
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

test('what is sent again, to the letter or signed anew, is stored once', async () => {
  const { source, secret, key } = await newSender();
  const event = makeEvent({ source, data: 1 });
  const body = JSON.stringify({ events: [event] });
  const headers = webhookHeaders(body, secret);
  for (let time = 0; time < 3; time++) {
    const { status, json } = await postEvents(client, { headers, body });
    assert.deepEqual([status, json['processed']], [200, 1]);
  }
  await assertTaken([event], { secret, id: headers['webhook-id'] ?? '' }, key);
  await assertTaken([{ ...event, data: 2 }], { secret }, key);
  assert.deepEqual(await feedIds(client, key), idsOf([event]));
  const page = await client('/events', { as: key });
  const [item] = page.json['items'] as { event: { data: number } }[];
  assert.equal(item?.event.data, 1);
});

test('a source of another space proves nothing in this one', async () => {
  const mine = await newSender();
  const theirs = await newSender();
  const event = makeEvent({ source: mine.source });
  await assertRefused([event], { secret: theirs.secret });
  await assertRefused([event], { secret: mine.secret, query: `?spaceId=${theirs.spaceId}` });
  await assertRefused([event], { secret: mine.secret, query: `?spaceId=${randomUUID()}` });
  assert.deepEqual(await feedIds(client, theirs.key), []);
});

test('of two spaces with the same source the secret decides, and with the same secret the query must', async () => {
  const mine = await newSender();
  const theirs = await newSender(mine.source);
  await assertTaken([makeEvent({ source: mine.source })], mine, mine.key);
  await assertTaken([makeEvent({ source: mine.source })], theirs, theirs.key);
  assert.equal((await feedIds(client, mine.key)).length, 1);
  const body = { secret: mine.secret };
  await client(`${theirs.path}/secrets`, { as: session, body });
  await assertRefused([makeEvent({ source: mine.source })], mine);
  const named = { ...mine, query: `?spaceId=${theirs.spaceId}` };
  await assertTaken([makeEvent({ source: mine.source })], named, theirs.key);
});

test('a source in very many spaces needs the query', async () => {
  const source = `urn:everywhere:${randomUUID()}`;
  const senders = [];
  for (let count = 0; count < 9; count++) senders.push(await newSender(source));
  const [first] = senders;
  assert.ok(first);
  await assertRefused([makeEvent({ source })], first);
  await assertTaken(
    [makeEvent({ source })],
    { ...first, query: `?spaceId=${first.spaceId}` },
    first.key,
  );
});

test('every source of a mixed batch must be proven', async () => {
  const { spaceId, source, secret, key } = await newSender();
  const other = `urn:other:${randomUUID()}`;
  const batch = [makeEvent({ source }), makeEvent({ source: other })];
  await assertRefused(batch, { secret });
  const registered = await registerSource(client, session, spaceId, { source: other });
  await assertRefused(batch, { secret });
  await assertRefused(batch, { secret: registered.secret });
  await assertTaken(batch, { secret: [secret, registered.secret] }, key);
  const elsewhere = await newSender();
  const across = [makeEvent({ source }), makeEvent({ source: elsewhere.source })];
  await assertRefused(across, { secret: [secret, elsewhere.secret] });
});

test('of several sources that cover an event the most specific decides alone', async () => {
  const { spaceId, key } = await newSender();
  const root = `https://${randomUUID()}.example`;
  const wide = await registerSource(client, session, spaceId, { source: root, match: 'prefix' });
  await assertTaken([makeEvent({ source: `${root}/orders/1` })], wide, key);
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
      if (sender === decider) await assertTaken([makeEvent({ source })], sender, key);
      else await assertRefused([makeEvent({ source })], sender);
  await assertRefused([makeEvent({ source: `${root}.evil/orders` })], wide);
});

test('a bad event in a signed batch fails alone', async () => {
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

test('a deleted source, and one of a deleted space, prove nothing from the next request on', async () => {
  const one = await newSender();
  await assertTaken([makeEvent({ source: one.source })], one, one.key);
  await client(one.path, { method: 'DELETE', as: session });
  await assertRefused([makeEvent({ source: one.source })], one);
  const two = await newSender();
  await assertTaken([makeEvent({ source: two.source })], two, two.key);
  await client(`/spaces/${two.spaceId}`, { method: 'DELETE', as: session });
  await assertRefused([makeEvent({ source: two.source })], two);
  const named = { ...two, query: `?spaceId=${two.spaceId}` };
  await assertRefused([makeEvent({ source: two.source })], named);
});
