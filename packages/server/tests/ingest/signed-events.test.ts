import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { newSecretText } from '../../src/ingest/sources/secret.rules.ts';
import {
  feedIds,
  idsOf,
  ingest,
  makeEvent,
  makeEvents,
  postEvents,
  readFeed,
  type SentEvent,
} from '../support/events/events.ts';
import { eventAuth, nowInSeconds, registerSource, signedEvent } from '../support/events/signing.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

async function newSender(source = `https://${randomUUID()}.example/orders`) {
  const { id: spaceId } = await makeSpace(client, session);
  const { id, secret } = await registerSource(client, session, spaceId, { source });
  const key = await makeKey(client, session, spaceId, ['read', 'events:write']);
  return { spaceId, path: `/spaces/${spaceId}/event-sources/${id}`, key, source, secret };
}

/**
 * Returns the error of `event`. The request also contains a valid event, `good`, because a request without valid events
 * is rejected as a whole.
 */
async function errorOf(event: SentEvent, good: SentEvent, query = ''): Promise<string> {
  const { processed, errors } = await ingest(client, { body: { events: [good, event] } }, query);
  assert.equal(processed, 1);
  assert.equal(errors?.length, 1);
  return errors?.[0]?.error ?? '';
}

test('a signed event is stored in the space of its source', async () => {
  const { source, secret, key } = await newSender();
  const events = makeEvents(3, { source, data: { b: 1e21, a: ['ä', 0.1, null, { '': -0 }] } });
  const signed = events.map((event) => signedEvent(event, secret));
  const { success, eventIds } = await ingest(client, { body: { events: signed } });
  assert.ok(success);
  assert.deepEqual(eventIds, idsOf(events));
  const { items } = await readFeed(client, key);
  assert.deepEqual(
    items.map(({ event }) => event),
    events.map((event) => JSON.parse(JSON.stringify(event))),
  );
});

test('a signature is valid for every JSON encoding of the same event but not for different content', async () => {
  const { source, secret, key } = await newSender();
  const event = makeEvent({ source, data: { total: 10, currency: 'EUR' } });
  const { signature, timestamp } = eventAuth(event, secret);
  const auth = `"auth": {"timestamp": "${timestamp}", "signature": "${signature}"}`;
  const text = (data: string) =>
    `{"events":[{${auth}, "data" : ${data}, "type":"${event['type']}","specversion":"1.0",
      "source":"${source}", "\\u0069d":"${event['id']}"}]}`;
  const good = await ingest(client, { body: text('{"currency":"\\u0045UR","total":1.0e1}') });
  assert.deepEqual(good.eventIds, idsOf([event]));
  for (const data of [
    '{"currency":"EUR","total":11}',
    '{"currency":"EUR","total":"10"}',
    '{"currency":"EUR"}',
    '{"currency":"EUR","total":10,"more":null}',
    '{"currency":"EUR","total":10,"total":10}',
    '[{"currency":"EUR","total":10}]',
  ])
    assert.equal((await postEvents(client, { body: text(data) })).status, 401, data);
  assert.deepEqual(await feedIds(client, key), idsOf([event]));
});

test('verifies events with multiple signatures, non-ASCII IDs, any member order and deep nesting', async () => {
  const { source, secret } = await newSender();
  let deep: unknown = 1;
  for (let level = 0; level < 490; level++) deep = [deep];
  const events = [
    signedEvent(makeEvent({ source }), [newSecretText(), secret]),
    signedEvent(makeEvent({ source, id: `ä€😀.${randomUUID()}` }), secret),
    signedEvent(makeEvent({ source, data: deep }), secret),
    signedEvent(makeEvent({ source, data: { ﬃ: 1, '😀': 2, z: 3 } }), secret),
    signedEvent(makeEvent({ source, metadata: { sender: 'x' }, ext: 'y' }), secret),
  ];
  const result = await ingest(client, { body: { events } });
  assert.deepEqual(result.errors, undefined);
});

test('the CloudEvents formats accept signed events', async () => {
  const { source, secret, key } = await newSender();
  const one = makeEvent({ source, subject: null, data_base64: 'AAAA' });
  const many = makeEvents(2, { source, time: '2026-10-18T11:30:00.5+02:00' });
  for (const [type, body] of [
    ['application/cloudevents+json', signedEvent(one, secret)],
    ['application/cloudevents-batch+json', many.map((event) => signedEvent(event, secret))],
  ] as const) {
    const { success } = await ingest(client, { body, headers: { 'content-type': type } });
    assert.ok(success);
  }
  assert.deepEqual(await feedIds(client, key), idsOf([one, ...many]));
});

test('reports why a signature is invalid without returning the signature', async () => {
  const { source, secret } = await newSender();
  const good = () => signedEvent(makeEvent({ source }), secret);
  const event = makeEvent({ source });
  const auth = eventAuth(event, secret);
  const unproven = /^auth\.signature: does not match the event; check/;
  const cases: [SentEvent, RegExp][] = [
    [signedEvent(event, newSecretText()), unproven],
    [{ ...event, type: 'another', auth }, unproven],
    [{ ...event, id: 'another', auth }, unproven],
    [{ ...event, extension: 'more', auth }, unproven],
    [signedEvent(makeEvent({ source: 'urn:nobody' }), secret), unproven],
    [{ ...event, auth: { ...auth, timestamp: String(Number(auth.timestamp) - 1) } }, unproven],
    [{ ...event, auth: { signature: auth.signature } }, /^auth\.timestamp: is required/],
    [
      { ...event, auth: eventAuth(event, secret, nowInSeconds() - 400) },
      /^auth\.timestamp: is 40\d seconds behind/,
    ],
    [
      { ...event, auth: { ...auth, signature: auth.signature.slice(3) } },
      /^auth\.signature: must be "v1,"/,
    ],
    [{ ...event, auth: { timestamp: auth.timestamp } }, /^auth\.apiKey: is required unless/],
    [
      { ...event, data: 'NUMBER', auth },
      /^auth\.signature: cannot be verified because data is a number/,
    ],
  ];
  for (const [bad, words] of cases) {
    const body = JSON.stringify({ events: [good(), bad] }).replace('"NUMBER"', '9007199254740993');
    const { errors } = await ingest(client, { body });
    assert.match(errors?.[0]?.error ?? '', words);
    const { signature } = (bad['auth'] ?? {}) as { signature?: string };
    if (signature !== undefined) assert.ok(!errors?.[0]?.error.includes(signature.slice(3)));
  }
});

test('moving characters from the timestamp to the ID invalidates the signature', async () => {
  const { source, secret } = await newSender();
  const good = () => signedEvent(makeEvent({ source }), secret);
  const now = nowInSeconds();
  const event = makeEvent({ source, id: 'a' });
  const auth = eventAuth(event, secret, `${now}.${now}`);
  const moved = { ...event, id: `a.${now}`, auth: { ...auth, timestamp: String(now) } };
  assert.match(await errorOf(moved, good()), /does not match the event/);
});

test('rejects a request without a valid signature and reports every event', async () => {
  const { source } = await newSender();
  const events = makeEvents(2, { source }).map((event) => signedEvent(event, newSecretText()));
  const answer = await postEvents(client, { body: { events } });
  assert.equal(answer.status, 401);
  assert.equal(answer.json['code'], 'events.no-credential');
  const issues = answer.json['issues'] as { message: string }[];
  assert.match(issues[1]?.message ?? '', /^events\[1\]\.auth\.signature: does not match/);
});

test('stores each event in the space of its source, and rejects events for other spaces if ?spaceId= is given', async () => {
  const mine = await newSender();
  const theirs = await newSender();
  const own = makeEvent({ source: mine.source });
  const other = makeEvent({ source: theirs.source });
  const keyed = makeEvent({ auth: { apiKey: theirs.key } });
  const events = [signedEvent(own, mine.secret), signedEvent(other, theirs.secret), keyed];
  await ingest(client, { body: { events } });
  assert.deepEqual(await feedIds(client, mine.key), idsOf([own]));
  assert.deepEqual(await feedIds(client, theirs.key), idsOf([other, keyed]));
  const query = `?spaceId=${mine.spaceId}`;
  const stranger = signedEvent(makeEvent({ source: theirs.source }), theirs.secret);
  const good = signedEvent(makeEvent({ source: mine.source }), mine.secret);
  assert.match(await errorOf(stranger, good, query), /does not match the event/);
});

test('the signatures in the `auth` of the request must cover every event', async () => {
  const { source, secret, key } = await newSender();
  const events = makeEvents(2, { source });
  const timestamp = nowInSeconds();
  const signatures = events.map((event) => eventAuth(event, secret, timestamp).signature);
  const auth = { signature: signatures.join(' '), timestamp: String(timestamp) };
  await ingest(client, { body: { auth, events } });
  assert.deepEqual(await feedIds(client, key), idsOf(events));
  const more = [...events, makeEvent({ source })];
  const refused = await postEvents(client, { body: { auth, events: more } });
  assert.equal(refused.status, 401);
  assert.equal(refused.json['code'], 'events.unknown-credential');
  assert.match(refused.text, /auth\.signature: does not match the event.*\(events\[2\]\)/);
  for (const none of [[], [7]])
    assert.equal((await postEvents(client, { body: { auth, events: none } })).status, 401);
  const elsewhere = await newSender();
  const theirs = makeEvent({ source: elsewhere.source });
  const both = `${signatures[0]} ${eventAuth(theirs, elsewhere.secret, timestamp).signature}`;
  const across = { auth: { ...auth, signature: both }, events: [events[0], theirs] };
  assert.equal((await postEvents(client, { body: across })).status, 401);
});

test('stores a signed event once if it is sent repeatedly', async () => {
  const { source, secret, key } = await newSender();
  const event = makeEvent({ source, data: 1 });
  const again = signedEvent({ ...event, data: 2 }, secret);
  const body = { events: [signedEvent(event, secret), signedEvent(event, secret), again] };
  for (let time = 0; time < 2; time++) assert.equal((await ingest(client, { body })).processed, 3);
  const { items } = await readFeed(client, key);
  assert.deepEqual(
    items.map(({ event: { data } }) => data),
    [1],
  );
});

test('rejects a signed event with more than 20,000 members and elements', async () => {
  const { source, secret } = await newSender();
  const event = makeEvent({ source, data: Array(20_001).fill(0) });
  const answer = await postEvents(client, { body: { events: [signedEvent(event, secret)] } });
  assert.equal(answer.status, 401);
  assert.match(answer.text, /more than 20000 members and elements; send fewer/);
});
