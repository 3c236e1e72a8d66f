import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Answer } from '../support/client.ts';
import { feedIds, idsOf, ingest, makeEvents, postEvents } from '../support/events.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { sendRaw } from '../support/raw-http.ts';
import { openShop } from '../support/shop.ts';

/** So little in a second that waiting for it is never over while a test runs. */
const { client, session, space, key, service, ...shop } = await openShop({
  env: { GATEHOUSE_RATE_LIMIT_EVENTS_KEY: '1', GATEHOUSE_RATE_LIMIT_EVENTS_SPACE: '2' },
});
after(() => shop[Symbol.asyncDispose]());
const unlimited = await serviceOfThisFile();
const BATCH = 100;

function assertLimited({ status, headers, json, text }: Answer, words: RegExp): void {
  assert.deepEqual([status, json['code']], [429, 'events.rate-limited'], text);
  const seconds = Number(headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1, `${seconds} s`);
  assert.match(text, words);
  assert.match(text, new RegExp(`in ${seconds} seconds`));
}

test('a key that sends more than it may is refused, and nothing of the request is kept', async () => {
  const { id } = await makeSpace(client, session);
  const [one, two] = [await makeKey(client, session, id), await makeKey(client, session, id)];
  const kept = makeEvents(60);
  await ingest(client, { as: one, body: { events: kept } });
  const refused = await postEvents(client, { as: one, body: { events: makeEvents(BATCH) } });
  assertLimited(refused, /This API key sends more than 1 events a second/);
  assert.deepEqual(await feedIds(client, one), idsOf(kept));

  const others = await postEvents(client, { as: two, body: { events: makeEvents(1) } });
  assertLimited(others, /This space sends more than 2 events a second/);
  const elsewhere = await makeSpace(client, session);
  const third = await makeKey(client, session, elsewhere.id);
  await ingest(client, { as: third, body: { events: makeEvents(1) } });
});

test('a session counts for the space', async () => {
  const { id } = await makeSpace(client, session);
  const send = () =>
    postEvents(client, { as: session, body: { events: makeEvents(BATCH) } }, `?spaceId=${id}`);
  assert.equal((await send()).status, 200);
  assertLimited(await send(), /This space/);
});

test('a key in the events counts as one in the header, and the whole request is refused', async () => {
  const [full, free] = [await makeSpace(client, session), await makeSpace(client, session)];
  const [fullKey, freeKey] = [
    await makeKey(client, session, full.id),
    await makeKey(client, session, free.id),
  ];
  const by = (apiKey: string, count: number) => makeEvents(count, { auth: { apiKey } });
  await ingest(client, { body: { events: by(fullKey, BATCH) } });
  const events = [...by(freeKey, 2), ...by(fullKey, 1)];
  assertLimited(await postEvents(client, { body: { events } }), /This API key/);
  assert.deepEqual(await feedIds(client, freeKey), []);
  const beside = { events: makeEvents(1), auth: { apiKey: fullKey } };
  assertLimited(await postEvents(client, { body: beside }), /This API key/);
  await ingest(client, { body: { events: by(freeKey, 2) } });
});

test('events that are known or not valid count too', async () => {
  const { id } = await makeSpace(client, session);
  const known = makeEvents(1);
  const one = await makeKey(client, session, id);
  const [result] = [
    await ingest(client, { as: one, body: { events: makeEvents(BATCH, { type: '' }) } }),
  ];
  assert.equal(result.failed, BATCH);
  assertLimited(await postEvents(client, { as: one, body: { events: known } }), /This API key/);
});

test('a key that may send nothing now is refused before its body is read', async () => {
  const { id } = await makeSpace(client, session);
  const one = await makeKey(client, session, id);
  await ingest(client, { as: one, body: { events: makeEvents(BATCH) } });
  const { status } = await sendRaw({
    port: service.port,
    path: '/events',
    headers: {
      authorization: `Bearer ${one}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    },
    body: [Buffer.from('{')],
  }).catch(() => ({ status: 0 }));
  assert.equal(status, 429);
});

test('bytes of events are limited like their number', async () => {
  await using bytes = await openShop({
    env: {
      GATEHOUSE_RATE_LIMIT_EVENT_BYTES_KEY: '1000',
      GATEHOUSE_RATE_LIMIT_EVENT_BYTES_SPACE: '10000',
    },
  });
  const large = { events: makeEvents(1, { data: 'x'.repeat(1_000_000) }) };
  await ingest(bytes.client, { as: bytes.key, body: large });
  const small = { events: makeEvents(1) };
  assertLimited(
    await postEvents(bytes.client, { as: bytes.key, body: small }),
    /This API key sends more than 1000 bytes a second/,
  );
});

test('without a setting there is no limit', async () => {
  const as = await signIn(unlimited.client);
  const { id } = await makeSpace(unlimited.client, as);
  const one = await makeKey(unlimited.client, as, id);
  for (let turn = 0; turn < 20; turn += 1)
    await ingest(unlimited.client, { as: one, body: { events: makeEvents(BATCH) } });
});

test('the feed and everything else are not limited with the events', async () => {
  await ingest(client, { as: key, body: { events: makeEvents(BATCH) } });
  assert.equal((await feedIds(client, key)).length, BATCH);
  assert.equal((await client(`/spaces/${space.id}`, { as: key })).status, 200);
});
