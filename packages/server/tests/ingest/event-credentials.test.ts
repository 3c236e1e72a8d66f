import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Send } from '../support/client.ts';
import { feedIds, idsOf, ingest, makeEvent, makeEvents, postEvents } from '../support/events.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { openShop } from '../support/shop.ts';

const { client, session, space, key, ...shop } = await openShop();
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

/** Asserts that a request is refused, how, and that its events are in no feed. */
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

async function assertTaken(send: Send, query = '', into = key): Promise<void> {
  const event = makeEvent();
  const result = await ingest(client, { body: { events: [event] }, ...send }, query);
  assert.equal(result.success, true);
  if (send.body === undefined)
    assert.ok((await feedIds(client, into)).includes(String(event['id'])));
}

test('an API key in Authorization or X-API-Key sends into its own space', async () => {
  await assertTaken({ as: key });
  await assertTaken({ headers: { 'x-api-key': key } });
  await assertTaken({ as: writeOnly });
  await assertTaken({ as: key }, `?spaceId=${space.id}`);
  await assertTaken({ as: key }, `?spaceId=${space.id.toUpperCase()}`);
});

test('a session sends into the space that the query names', async () => {
  await assertTaken({ as: session }, `?spaceId=${space.id}`);
  await assertTaken({ as: session }, `?spaceId=${other.id}`, otherKey);
  const text = await assertRefused({ as: session }, 400, 'events.invalid');
  assert.match(text, /spaceId: is required with a session/);
});

test('nobody can tell a space that is not theirs from one that does not exist', async () => {
  const nowhere = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
  const [mine, none] = await Promise.all(
    [other.id, nowhere].map((id) =>
      assertRefused({ as: key, query: `?spaceId=${id}` }, 403, 'access.forbidden'),
    ),
  );
  assert.equal(mine, none);
  await assertRefused({ as: session, query: `?spaceId=${nowhere}` }, 403, 'access.forbidden');
});

test('a key without the scope is refused, wherever it stands for the whole request', async () => {
  await assertRefused({ as: readOnly }, 403, 'access.forbidden');
  await assertRefused({ headers: { 'x-api-key': readOnly } }, 403, 'access.forbidden');
  const text = await assertRefused(
    { body: { events: [makeEvent()], auth: { apiKey: readOnly } } },
    403,
    'events.forbidden',
  );
  assert.match(text, /auth\.apiKey: does not have the scope events:write/);
});

test('without any credential the answer is 401, also for an empty batch', async () => {
  await assertRefused({}, 401, 'events.no-credential');
  await assertRefused({ events: [] }, 401, 'events.no-credential');
});

test('auth beside events sends the whole batch', async () => {
  const events = makeEvents(2);
  const result = await ingest(client, { body: { auth: { apiKey: key }, events } });
  assert.deepEqual(result.eventIds, idsOf(events));
  assert.deepEqual((await feedIds(client, key)).slice(-2), idsOf(events));
  await ingest(client, { body: { auth: { apiKey: key }, events: [] } });
  await ingest(client, { body: { auth: { apiKey: key }, events } }, `?spaceId=${space.id}`);
});

test('auth beside events judges the request', async () => {
  const events = [makeEvent({ auth: { apiKey: key } })];
  const refusals: [unknown, number, string, RegExp][] = [
    [{ apiKey: UNKNOWN_KEY }, 401, 'events.unknown-credential', /auth\.apiKey: is unknown/],
    [{ apiKey: '' }, 401, 'events.unknown-credential', /auth\.apiKey: is unknown/],
    [{}, 401, 'events.unknown-credential', /auth\.apiKey: is required/],
    [{ signature: 'v1,a', timestamp: '1' }, 401, 'events.unknown-credential', /auth\.signature: /],
    [null, 400, 'events.invalid', /auth: must be an object/],
    [{ apiKey: 7 }, 400, 'events.invalid', /auth\.apiKey: must be a string/],
    [{ apikey: key }, 400, 'events.invalid', /auth\.apikey: unknown member; did you mean apiKey/],
  ];
  for (const [auth, status, code, message] of refusals)
    assert.match(await assertRefused({ body: { auth, events } }, status, code), message);
  const elsewhere = { body: { auth: { apiKey: key }, events }, query: `?spaceId=${other.id}` };
  await assertRefused(elsewhere, 403, 'events.forbidden');
});

test('auth in each event judges each event, into the space of its own key', async () => {
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
    { index: 3, error: 'auth: is required, when the request has no other credential' },
    { index: 4, error: 'auth.apiKey: does not have the scope events:write' },
    {
      index: 5,
      error:
        'auth.signature: must be v1, and the base64 of an HMAC-SHA256, several of them separated by spaces',
    },
    { index: 7, error: 'auth: must be an object' },
    {
      index: 8,
      error:
        'auth.apiKey: is required, or auth.signature and auth.timestamp; time: must be a UTC time such as 2026-03-04T05:06:07Z',
    },
    { index: 9, error: 'event: must be an object' },
  ]);
  assert.deepEqual(await feedIds(client, key), [...(before[0] ?? []), ...idsOf(mine)]);
  assert.deepEqual(await feedIds(client, otherKey), [...(before[1] ?? []), ...idsOf(theirs)]);
});

test('with ?spaceId= only keys of that space are accepted in events', async () => {
  const events = [makeEvent({ auth: { apiKey: otherKey } }), makeEvent({ auth: { apiKey: key } })];
  const result = await ingest(client, { body: { events } }, `?spaceId=${space.id}`);
  assert.deepEqual(result.errors, [
    { index: 0, error: 'auth.apiKey: belongs to another space than ?spaceId=' },
  ]);
});

test('a bad event with a good key fails in a 200', async () => {
  const events = [makeEvent({ auth: { apiKey: key }, id: 7 })];
  const result = await ingest(client, { body: { events } });
  assert.deepEqual(result.errors, [{ index: 0, error: 'id: must be a string' }]);
});

test('when no event carries an accepted credential the answer is 401 and names each', async () => {
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
      'events[1].auth: is required, when the request has no other credential',
      'events[2].auth.signature: must be v1, and the base64 of an HMAC-SHA256, several of them separated by spaces',
      'events[3]: must be an object',
    ],
  );
  assert.ok(!text.includes(UNKNOWN_KEY));
});

test('a bad credential in a header is not rescued by a good one in the body', async () => {
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

test('a good credential in a header decides over every one in the body', async () => {
  const events = [
    makeEvent({ auth: { apiKey: UNKNOWN_KEY } }),
    makeEvent({ auth: { apiKey: otherKey } }),
    makeEvent({ auth: { signature: 'v1,aaaa' } }),
  ];
  const body = { auth: { apiKey: otherKey }, events };
  assert.equal((await ingest(client, { as: key, body })).processed, 3);
  assert.deepEqual((await feedIds(client, key)).slice(-3), idsOf(events));
});

test('the credential beside events decides over those in them', async () => {
  const events = [makeEvent({ auth: { apiKey: otherKey } })];
  await ingest(client, { body: { auth: { apiKey: key }, events } });
  assert.deepEqual((await feedIds(client, key)).slice(-1), idsOf(events));
});

test('web-hook headers that prove nothing are not rescued by anything in the body, but by a key beside them', async () => {
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
  await assertTaken({ headers: formed, as: key });
  await assertTaken({ headers: WEBHOOK, as: key });
});

test('a revoked key is refused at once, in a header and in a body', async () => {
  const shortLived = await makeKey(client, session, space.id);
  await assertTaken({ as: shortLived });
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

test('what a refused request sent is in no feed', async () => {
  const event = makeEvent({ id: 'refused' });
  await assertRefused({ as: readOnly, events: [event] }, 403, 'access.forbidden');
  await assertRefused({ events: [event] }, 401, 'events.no-credential');
  assert.ok(!(await feedIds(client, key)).includes('refused'));
});
