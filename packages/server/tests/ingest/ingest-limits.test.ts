import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedIds, idsOf, ingest, makeEvents, postEvents } from '../support/events/events.ts';
import type { ClientResponse } from '../support/http/client.ts';
import { sendRaw } from '../support/http/raw-http.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

/** The limits are so low that no token bucket refills during a test. */
const { client, session, space, key, service, ...shop } = await startServiceWithSpace({
  env: { GATEHOUSE_RATE_LIMIT_EVENTS_KEY: '1', GATEHOUSE_RATE_LIMIT_EVENTS_SPACE: '2' },
});
after(() => shop[Symbol.asyncDispose]());
const unlimited = await serviceOfThisFile();
const BATCH = 100;

function assertLimited({ status, headers, json, text }: ClientResponse, words: RegExp): void {
  assert.deepEqual([status, json['code']], [429, 'events.rate-limited'], text);
  const seconds = Number(headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1, `${seconds} s`);
  assert.match(text, words);
  assert.match(text, new RegExp(`in ${seconds} seconds`));
}

test('rejects a request whose key exceeds its limit and stores none of the events', async () => {
  const { id } = await makeSpace(client, session);
  const [one, two] = [await makeKey(client, session, id), await makeKey(client, session, id)];
  const kept = makeEvents(60);
  await ingest(client, { as: one, body: { events: kept } });
  const refused = await postEvents(client, { as: one, body: { events: makeEvents(BATCH) } });
  assertLimited(refused, /This API key exceeds its limit of 1 events per second/);
  assert.deepEqual(await feedIds(client, one), idsOf(kept));

  const others = await postEvents(client, { as: two, body: { events: makeEvents(1) } });
  assertLimited(others, /This space exceeds its limit of 2 events per second/);
  const elsewhere = await makeSpace(client, session);
  const third = await makeKey(client, session, elsewhere.id);
  await ingest(client, { as: third, body: { events: makeEvents(1) } });
});

test('events of a session count toward the limit of the space', async () => {
  const { id } = await makeSpace(client, session);
  const send = () =>
    postEvents(client, { as: session, body: { events: makeEvents(BATCH) } }, `?spaceId=${id}`);
  assert.equal((await send()).status, 200);
  assertLimited(await send(), /This space/);
});

test('rejects the whole request if a key in the body exceeds its limit', async () => {
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

test('duplicate and invalid events count toward the limit', async () => {
  const { id } = await makeSpace(client, session);
  const known = makeEvents(1);
  const one = await makeKey(client, session, id);
  const [result] = [
    await ingest(client, { as: one, body: { events: makeEvents(BATCH, { type: '' }) } }),
  ];
  assert.equal(result.failed, BATCH);
  assertLimited(await postEvents(client, { as: one, body: { events: known } }), /This API key/);
});

test('rejects a request whose key has reached its limit without reading the body', async () => {
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

test('limits the event bytes per second of a key', async () => {
  await using bytes = await startServiceWithSpace({
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
    /This API key exceeds its limit of 1000 bytes per second/,
  );
});

test('a key above its limit may send again in time although the clock was set back', async () => {
  let ahead = 3_600_000;
  await using changed = await startServiceWithSpace({
    env: { GATEHOUSE_RATE_LIMIT_EVENTS_KEY: '10' },
    clock: () => Date.now() + ahead,
  });
  const send = (count: number) =>
    postEvents(changed.client, { as: changed.key, body: { events: makeEvents(count) } });
  assert.equal((await send(15)).status, 200);
  assert.equal((await send(1)).status, 429);
  ahead = 0;
  await until('the key may send', async () => (await send(1)).status === 200, 20_000);
});

test('the number of events is unlimited by default', async () => {
  const as = await signIn(unlimited.client);
  const { id } = await makeSpace(unlimited.client, as);
  const one = await makeKey(unlimited.client, as, id);
  for (let turn = 0; turn < 20; turn += 1)
    await ingest(unlimited.client, { as: one, body: { events: makeEvents(BATCH) } });
});

test('the limits do not apply to the feed and other routes', async () => {
  await ingest(client, { as: key, body: { events: makeEvents(BATCH) } });
  assert.equal((await feedIds(client, key)).length, BATCH);
  assert.equal((await client(`/spaces/${space.id}`, { as: key })).status, 200);
});
