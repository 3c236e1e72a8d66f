import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  feedIds,
  idsOf,
  ingest,
  makeEvent,
  makeEvents,
  postEvents,
} from '../support/events/events.ts';
import type { Send } from '../support/http/client.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, space, key, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const other = await makeSpace(client, session, { name: 'Other' });
const otherKey = await makeKey(client, session, other.id);
const readOnly = await makeKey(client, session, space.id, ['read']);
const writeOnly = await makeKey(client, session, space.id, ['events:write']);
const UNKNOWN_KEY = `gh_${'x'.repeat(43)}`;
const WEBHOOK = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1790000000',
  'webhook-signature': 'v1,aaaa',
};

async function assertRefused(
  send: Send & { events?: unknown[]; query?: string },
  status: number,
  code: string,
): Promise<string> {
  const { events = [makeEvent()], query = '', body, ...rest } = send;
  const whole = body ?? { events };
  const answer = await postEvents(client, { ...rest, body: whole }, query);
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json['code'], code);
  if (status === 401) assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  return answer.text;
}

async function assertAccepted(send: Send, query = '', into = key): Promise<void> {
  const event = makeEvent();
  const result = await ingest(client, { body: { events: [event] }, ...send }, query);
  assert.equal(result.success, true);
  if (send.body === undefined)
    assert.ok((await feedIds(client, into)).includes(String(event['id'])));
}

test('events sent with an API key in Authorization or X-API-Key are stored in the space of the key', async () => {
  await assertAccepted({ as: key });
  await assertAccepted({ headers: { 'x-api-key': key } });
  await assertAccepted({ as: writeOnly });
  await assertAccepted({ as: key }, `?spaceId=${space.id}`);
  await assertAccepted({ as: key }, `?spaceId=${space.id.toUpperCase()}`);
});

test('events sent with a session are stored in the space named in the query string', async () => {
  await assertAccepted({ as: session }, `?spaceId=${space.id}`);
  await assertAccepted({ as: session }, `?spaceId=${other.id}`, otherKey);
  const text = await assertRefused({ as: session }, 400, 'events.invalid');
  assert.match(text, /spaceId: is required with a session/);
});

test('returns the same error for a space without access and a space that does not exist', async () => {
  const nowhere = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
  const [mine, none] = await Promise.all(
    [other.id, nowhere].map((id) =>
      assertRefused({ as: key, query: `?spaceId=${id}` }, 403, 'access.forbidden'),
    ),
  );
  assert.equal(mine, none);
  await assertRefused({ as: session, query: `?spaceId=${nowhere}` }, 403, 'access.forbidden');
});

test('rejects a key without the events:write scope, both in a header and in the `auth` of the request', async () => {
  await assertRefused({ as: readOnly }, 403, 'access.forbidden');
  await assertRefused({ headers: { 'x-api-key': readOnly } }, 403, 'access.forbidden');
  const text = await assertRefused(
    { body: { events: [makeEvent()], auth: { apiKey: readOnly } } },
    403,
    'events.forbidden',
  );
  assert.match(text, /auth\.apiKey: does not have the scope events:write/);
});

test('returns 401 without a credential, even for an empty batch', async () => {
  await assertRefused({}, 401, 'events.no-credential');
  await assertRefused({ events: [] }, 401, 'events.no-credential');
});

test('the `auth` of the request applies to the whole batch', async () => {
  const events = makeEvents(2);
  const result = await ingest(client, { body: { auth: { apiKey: key }, events } });
  assert.deepEqual(result.eventIds, idsOf(events));
  assert.deepEqual((await feedIds(client, key)).slice(-2), idsOf(events));
  await ingest(client, { body: { auth: { apiKey: key }, events: [] } });
  await ingest(client, { body: { auth: { apiKey: key }, events } }, `?spaceId=${space.id}`);
});

test('an invalid `auth` of the request rejects the whole request', async () => {
  const events = [makeEvent({ auth: { apiKey: key } })];
  const refusals: [unknown, number, string, RegExp][] = [
    [{ apiKey: UNKNOWN_KEY }, 401, 'events.unknown-credential', /auth\.apiKey: is unknown/],
    [{ apiKey: '' }, 401, 'events.unknown-credential', /auth\.apiKey: is unknown/],
    [{}, 401, 'events.unknown-credential', /auth\.apiKey: is required/],
    [{ signature: 'v1,a', timestamp: '1' }, 401, 'events.unknown-credential', /auth\.signature: /],
    [null, 400, 'events.invalid', /auth: must be an object/],
    [{ apiKey: 7 }, 400, 'events.invalid', /auth\.apiKey: must be a string/],
    [{ apikey: key }, 400, 'events.invalid', /auth\.apikey: unknown member \(did you mean apiKey/],
  ];
  for (const [auth, status, code, message] of refusals)
    assert.match(await assertRefused({ body: { auth, events } }, status, code), message);
  const elsewhere = { body: { auth: { apiKey: key }, events }, query: `?spaceId=${other.id}` };
  await assertRefused(elsewhere, 403, 'events.forbidden');
});

test('the `auth` of an event applies only to that event, which is stored in the space of the key', async () => {
  const mine = makeEvents(2, { auth: { apiKey: key } });
  const theirs = makeEvents(2, { auth: { apiKey: otherKey } });
  const before = [await feedIds(client, key), await feedIds(client, otherKey)];
  const events = [
    mine[0],
    makeEvent({ auth: { apiKey: UNKNOWN_KEY } }),
    theirs[0],
    makeEvent(),
    makeEvent({ auth: { apiKey: readOnly } }),
    makeEvent({ auth: { signature: 'v1,aaaa', timestamp: '1790000000' } }),
    theirs[1],
    makeEvent({ auth: 'a key' }),
    makeEvent({ auth: {}, time: 'now' }),
    7,
    mine[1],
  ];
  const result = await ingest(client, { body: { events } });
  assert.deepEqual(
    result.eventIds,
    idsOf([mine[0], theirs[0], theirs[1], mine[1]].map((e) => ({ ...e }))),
  );
  assert.deepEqual(result.errors, [
    { index: 1, error: 'auth.apiKey: is unknown, expired or revoked' },
    { index: 3, error: 'auth: is required when the request has no other credential' },
    { index: 4, error: 'auth.apiKey: does not have the scope events:write' },
    {
      index: 5,
      error:
        'auth.signature: must be "v1," followed by the base64 of an HMAC-SHA256; separate several signatures with spaces',
    },
    { index: 7, error: 'auth: must be an object' },
    {
      index: 8,
      error:
        'auth.apiKey: is required unless auth.signature and auth.timestamp are given; time: must be a UTC time such as 2026-03-04T05:06:07Z',
    },
    { index: 9, error: 'event: must be an object' },
  ]);
  assert.deepEqual(await feedIds(client, key), [...(before[0] ?? []), ...idsOf(mine)]);
  assert.deepEqual(await feedIds(client, otherKey), [...(before[1] ?? []), ...idsOf(theirs)]);
});

test('if the query has ?spaceId=, events may use only keys of that space', async () => {
  const events = [makeEvent({ auth: { apiKey: otherKey } }), makeEvent({ auth: { apiKey: key } })];
  const result = await ingest(client, { body: { events } }, `?spaceId=${space.id}`);
  assert.deepEqual(result.errors, [
    { index: 0, error: 'auth.apiKey: belongs to a different space than ?spaceId=' },
  ]);
});

test('an invalid event with a valid key is reported as failed in a 200 response', async () => {
  const events = [makeEvent({ auth: { apiKey: key }, id: 7 })];
  const result = await ingest(client, { body: { events } });
  assert.deepEqual(result.errors, [{ index: 0, error: 'id: must be a string' }]);
});

test('returns 401 with a problem per event if no event has an accepted credential', async () => {
  const events = [
    makeEvent({ auth: { apiKey: UNKNOWN_KEY } }),
    makeEvent(),
    makeEvent({ auth: { signature: 'v1,aaaa', timestamp: '1790000000' } }),
    'none',
  ];
  const text = await assertRefused({ events }, 401, 'events.no-credential');
  const { issues } = JSON.parse(text) as { issues: { message: string }[] };
  assert.deepEqual(
    issues.map(({ message }) => message),
    [
      'events[0].auth.apiKey: is unknown, expired or revoked',
      'events[1].auth: is required when the request has no other credential',
      'events[2].auth.signature: must be "v1," followed by the base64 of an HMAC-SHA256; separate several signatures with spaces',
      'events[3]: must be an object',
    ],
  );
  assert.ok(!text.includes(UNKNOWN_KEY));
});

test('rejects an invalid credential in a header even if the body has a valid credential', async () => {
  const body = { auth: { apiKey: key }, events: [makeEvent({ auth: { apiKey: key } })] };
  await assertRefused({ as: UNKNOWN_KEY, body }, 401, 'access.unknown-credential');
  await assertRefused({ as: 'no-such-session', body }, 401, 'access.unknown-credential');
  await assertRefused({ as: 'a.b.c', body }, 401, 'access.unknown-credential');
  await assertRefused({ as: readOnly, body }, 403, 'access.forbidden');
  for (const authorization of ['', 'Bearer', `Basic ${key}`, `Bearer ${key} ${key}`, 'Bearer ä'])
    await assertRefused({ headers: { authorization }, body }, 401, 'access.malformed-credential');
  for (const text of ['', 'x', session])
    await assertRefused(
      { headers: { 'x-api-key': text }, body },
      401,
      'access.malformed-credential',
    );
  const both = { authorization: `Bearer ${UNKNOWN_KEY}`, 'x-api-key': key };
  await assertRefused({ headers: both, body }, 401, 'access.unknown-credential');
});

test('a valid credential in a header overrides credentials in the body', async () => {
  const events = [
    makeEvent({ auth: { apiKey: UNKNOWN_KEY } }),
    makeEvent({ auth: { apiKey: otherKey } }),
    makeEvent({ auth: { signature: 'v1,aaaa' } }),
  ];
  const body = { auth: { apiKey: otherKey }, events };
  assert.equal((await ingest(client, { as: key, body })).processed, 3);
  assert.deepEqual((await feedIds(client, key)).slice(-3), idsOf(events));
});

test('the `auth` of the request overrides the `auth` of the events', async () => {
  const events = [makeEvent({ auth: { apiKey: otherKey } })];
  await ingest(client, { body: { auth: { apiKey: key }, events } });
  assert.deepEqual((await feedIds(client, key)).slice(-1), idsOf(events));
});

test('rejects invalid webhook headers unless a header has an API key', async () => {
  const body = { auth: { apiKey: key }, events: [makeEvent()] };
  await assertRefused({ headers: WEBHOOK, body }, 401, 'events.webhook-headers-invalid');
  for (const [name, value] of Object.entries(WEBHOOK))
    await assertRefused(
      { headers: { [name]: value }, body },
      401,
      'events.webhook-headers-invalid',
    );
  const signature = `v1,${Buffer.alloc(32).toString('base64')}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const formed = {
    ...WEBHOOK,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  };
  await assertRefused({ headers: formed, body }, 401, 'events.signature-refused');
  await assertAccepted({ headers: formed, as: key });
  await assertAccepted({ headers: WEBHOOK, as: key });
});

test('rejects a revoked key immediately, in a header and in the body', async () => {
  const shortLived = await makeKey(client, session, space.id);
  await assertAccepted({ as: shortLived });
  const keys = await client(`/spaces/${space.id}/api-keys`, { as: session });
  const { items } = keys.json as { items: { id: string; prefix: string }[] };
  const made = items.find(({ prefix }) => shortLived.startsWith(prefix));
  assert.ok(made);
  const revoked = await client(`/spaces/${space.id}/api-keys/${made.id}`, {
    method: 'DELETE',
    as: session,
  });
  assert.equal(revoked.status, 204, revoked.text);
  await assertRefused({ as: shortLived }, 401, 'access.unknown-credential');
  await assertRefused(
    { body: { auth: { apiKey: shortLived }, events: [] } },
    401,
    'events.unknown-credential',
  );
});

test('stores no events of a rejected request', async () => {
  const event = makeEvent({ id: 'refused' });
  await assertRefused({ as: readOnly, events: [event] }, 403, 'access.forbidden');
  await assertRefused({ events: [event] }, 401, 'events.no-credential');
  assert.ok(!(await feedIds(client, key)).includes('refused'));
});
