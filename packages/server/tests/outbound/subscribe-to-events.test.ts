import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { subscribingIn } from '../support/events/subscribing.ts';
import { giveRole, makeKey, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);

async function newSpace() {
  const space = await makeSpace(client, session);
  return { ...space, ...subscribingIn(client, session, space.id) };
}

const URL = 'https://billing.example/hooks?token=secret';

test('a subscription can be created, listed, shown, changed and deleted, and its secret is returned only once', async () => {
  const { id: spaceId, subscribe, ask } = await newSpace();
  const { secret, ...made } = await subscribe({ url: URL, types: ['order.*'] });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(
    { ...made, id: '', secrets: [], createdAt: '' },
    {
      id: '',
      spaceId,
      url: URL,
      types: ['order.*'],
      sources: null,
      state: 'active',
      endReason: null,
      secrets: [],
      lag: 0,
      waiting: 0,
      parked: 0,
      held: null,
      lastDeliveredAt: null,
      lastFailure: null,
      replay: null,
      createdAt: '',
    },
  );
  assert.deepEqual((await ask('GET', `/${made.id}`)).json, { ...made });
  assert.deepEqual((await ask('GET')).json, { items: [made], next: null });
  const change = {
    url: 'https://other.example/',
    types: null,
    sources: ['urn:a'],
    state: 'disabled',
  };
  const changed = await ask('PATCH', `/${made.id.toUpperCase()}`, change);
  assert.deepEqual(changed.json, { ...made, ...change });
  assert.equal((await ask('DELETE', `/${made.id}`)).status, 204);
  for (const [method, rest, body] of [
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['POST', '/secrets', {}],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/deliveries/resend'],
  ] as const) {
    const gone = await ask(method, `/${made.id}${rest}`, body);
    assert.equal(gone.json['code'], 'deliveries.no-subscription', `${method} ${rest}`);
  }
});

test('does not find a subscription of another space', async () => {
  const mine = await newSpace();
  const { id } = await mine.subscribe({ url: URL });
  const theirs = await newSpace();
  for (const [method, rest, body] of [
    ['GET', ''],
    ['PATCH', '', { state: 'disabled' }],
    ['DELETE', ''],
    ['POST', '/secrets', {}],
    ['GET', '/deliveries'],
  ] as const)
    assert.equal((await theirs.ask(method, `/${id}${rest}`, body)).status, 404);
  assert.equal((await mine.show(id)).state, 'active');
});

test('reports all problems in a request body', async () => {
  const { ask } = await newSpace();
  const body = {
    url: 'http://10.0.0.1/',
    types: [],
    sources: [''],
    secrets: 'x',
    secret: 'whsec_x',
  };
  const { status, json } = await ask('POST', '', body);
  assert.equal(status, 400);
  const messages = (json['issues'] as { message: string }[]).map(({ message }) => message);
  for (const start of ['url: must have a public address', 'types', 'sources', 'secret: must be'])
    assert.ok(
      messages.some((message) => message.startsWith(start)),
      `${start} in ${messages}`,
    );
  assert.ok(messages.includes('secrets: unknown member (did you mean secret?)'));
});

test('rejects an event type with `*` before its end and names the patterns', async () => {
  const { ask, subscribe } = await newSpace();
  const { id } = await subscribe({ url: URL, types: ['order.*', '*'], sources: ['urn:a*b'] });
  const types = ['order.*', 'a*b', '*.paid', '**'];
  for (const refused of [
    await ask('POST', '', { url: URL, types }),
    await ask('PATCH', `/${id}`, { types }),
  ]) {
    assert.equal(refused.status, 400, refused.text);
    const patterns =
      'send an exact type such as `order.paid`, a prefix such as `order.*`, or `*` for all types';
    assert.deepEqual(
      refused.json['issues'],
      [1, 2, 3].map((index) => ({
        message: `types[${index}]: \`*\` is permitted only at the end; ${patterns}`,
      })),
    );
  }
});

test('rejects U+0000 and lone surrogates in the URL, types and sources', async () => {
  const { ask } = await newSpace();
  for (const character of ['\u0000', '\ud800']) {
    const { status, json } = await ask('POST', '', {
      url: `https://a.example/${character}`,
      types: [`a${character}`],
      sources: [`a${character}`],
    });
    const problem = 'must not contain U+0000 or a lone surrogate';
    assert.deepEqual(
      [status, json['issues']],
      [400, ['url', 'types[0]', 'sources[0]'].map((path) => ({ message: `${path}: ${problem}` }))],
    );
  }
});

test('rejects malformed target URLs and URLs of private addresses', async () => {
  const { ask } = await newSpace();
  for (const url of [
    'ftp://a.example/',
    'https:a.example',
    '/hook',
    'https://user:password@a.example/',
    'https://a.example/#part',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
  ]) {
    const refused = await ask('POST', '', { url });
    assert.equal(refused.status, 400, url);
    assert.match(refused.text, /url: must/);
  }
});

test('after a rotation the previous secret, but no earlier one, remains valid for the requested time', async () => {
  const { subscribe, ask } = await newSpace();
  const given = `whsec_${randomBytes(32).toString('base64')}`;
  const { id, secret } = await subscribe({ url: URL, secret: given });
  assert.equal(secret, given);
  const rotate = async (body?: object) => {
    const { status, json } = await ask('POST', `/${id}/secrets`, body);
    assert.equal(status, 201);
    return json['secrets'] as { endsAt: string | null }[];
  };
  const twice = await rotate({ keepOldSeconds: 60 });
  assert.deepEqual(
    twice.map(({ endsAt }) => endsAt === null),
    [true, false],
  );
  for (const body of [{}, undefined]) assert.equal((await rotate(body)).length, 2);
  assert.equal((await rotate({ keepOldSeconds: 0 })).length, 1);
});

test('responses to viewers and API keys contain only the origin of a target URL', async () => {
  const { id: spaceId, botId, subscribe, show } = await newSpace();
  const { id } = await subscribe({ url: URL });
  const viewer = await makeUser(client, session, 'viewer');
  await giveRole(client, session, botId, viewer.id, 'viewer');
  const key = await makeKey(client, session, spaceId, ['read']);
  for (const as of [await signIn(client, viewer), key]) {
    const seen = await client(`/spaces/${spaceId}/subscriptions/${id}`, { as });
    assert.equal(seen.json['url'], 'https://billing.example');
    const all = await client(`/spaces/${spaceId}/subscriptions`, { as });
    assert.ok(!all.text.includes('token'));
  }
  assert.equal((await show(id)).url, URL);
});

test('a space has at most 100 subscriptions, which are listed in pages', async () => {
  const { ask, subscribe } = await newSpace();
  for (let count = 0; count < 100; count += 1)
    await subscribe({ url: `https://a.example/${count}` });
  const one = await ask('POST', '', { url: URL });
  assert.equal(one.status, 409);
  assert.equal(one.json['code'], 'deliveries.too-many');
  const seen: string[] = [];
  for (let next: unknown = ''; next !== null; ) {
    const page = await ask('GET', `?limit=30${next === '' ? '' : `&after=${next}`}`);
    seen.push(...(page.json['items'] as { url: string }[]).map(({ url }) => url));
    next = page.json['next'];
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, at) => `https://a.example/${at}`),
  );
});
