/** A client repeats a request with the same `Idempotency-Key`, because it did not receive the first response. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { operations } from '@gatehouse/contract';
import { openLink } from '../support/assistant/chat.ts';
import type { ClientResponse, Send } from '../support/http/client.ts';
import { sendBytes } from '../support/http/raw-socket.ts';
import { beginUpload, runUpload } from '../support/knowledge/partial-upload.ts';
import { ORDERS } from '../support/knowledge/projections.ts';
import { giveRole, makeKey, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { allStored, stored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const { client, service, dataDir } = await serviceOfThisFile({
  env: { GATEHOUSE_IDEMPOTENCY_KEYS: '40' },
});
const SCOPES = ['links:write', 'knowledge:write', 'read'] as const;

let session = '';
let spaceId = '';
let botId = 0;
let key = '';
before(async () => {
  session = await signIn(client);
  ({ id: spaceId, botId } = await makeSpace(client, session));
  key = await makeKey(client, session, spaceId, SCOPES);
});

const send = (path: string, as: string, idempotencyKey: string, body: unknown, more: Send = {}) =>
  client(path, {
    as,
    body,
    ...more,
    headers: { ...more.headers, 'idempotency-key': idempotencyKey },
  });
const makeLink = (idempotencyKey: string, body: object, as = key) =>
  send('/assistant-link', as, idempotencyKey, body);
const isReplay = ({ headers }: ClientResponse) => headers.get('idempotent-replayed') === 'true';

async function count(table: string, where = 'true', ...values: string[]): Promise<number> {
  const sql = `select count(*) as count from ${table} where ${where}`;
  return Number((await stored(dataDir, sql, ...values))[0]?.['count']);
}

function multipart(boundary: string, metadata: string): Pick<Send, 'body' | 'headers'> {
  const part = (headers: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;
  const file = part('name="file"; filename="repeated.txt"', 'A repeated upload.');
  return {
    body: `${file}${part('name="metadata"', metadata)}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

const TOOL = {
  name: 'repeated',
  description: 'Repeats.',
  url: 'https://tools.example/',
  inputSchema: { type: 'object' },
};

/** Path, body and table of each idempotent operation. */
type Creation = readonly [path: string, body: unknown, table: string];
const CREATIONS: Readonly<Record<string, () => Creation | Promise<Creation>>> = {
  createLink: () => ['/assistant-link', { spaceId, sub: 'repeated' }, 'links'],
  createSpace: () => ['/spaces', { name: 'Repeated' }, 'spaces'],
  createBot: () => [`/spaces/${spaceId}/bots`, { name: 'Repeated' }, 'bots'],
  createApiKey: () => [
    `/spaces/${spaceId}/api-keys`,
    { name: 'repeated', scopes: ['read'] },
    'api_keys',
  ],
  createEventSource: () => [
    `/spaces/${spaceId}/event-sources`,
    { name: 'repeated', source: 'urn:repeated' },
    'event_sources',
  ],
  createSubscription: () => [
    `/spaces/${spaceId}/subscriptions`,
    { url: 'https://hooks.example/' },
    'subscriptions',
  ],
  createDocument: () => [
    `/spaces/${spaceId}/documents`,
    { fileName: 'repeated.md', markdown: 'A repeated document.' },
    'documents',
  ],
  createAnswer: () => [
    `/spaces/${spaceId}/answers`,
    { question: 'Is this repeated?', answer: 'Yes.', metadata: {} },
    'documents',
  ],
  createProjection: () => [
    `/spaces/${spaceId}/projections`,
    { ...ORDERS, types: ['never.sent'] },
    'projections',
  ],
  createCrawl: () => [
    `/spaces/${spaceId}/crawls`,
    { name: 'Repeated', startUrl: 'http://127.0.0.1:9/', defaultMetadata: {} },
    'crawls',
  ],
  createTool: () => [`/bots/${botId}/tools`, TOOL, 'tools'],
  sendTeamMessage: async () => [
    `/spaces/${spaceId}/conversations/${await handedOver()}/messages`,
    { text: 'Repeated.', author: 'Ada' },
    'messages',
  ],
  createInvitation: () => [
    `/bots/${botId}/members`,
    { email: 'repeated@example.com', role: 'viewer' },
    'invitations',
  ],
  createUser: () => [
    '/users',
    { email: 'repeated@example.com', name: 'Repeated', password: 'a long password' },
    'users',
  ],
};

/** Creates a conversation that waits for a person. Returns its ID. */
async function handedOver(): Promise<string> {
  const path = `/bots/${botId}`;
  const changed = await client(path, { method: 'PATCH', as: session, body: { handoff: {} } });
  assert.equal(changed.status, 200, changed.text);
  const { as } = await openLink(client, session, { spaceId, botId, sub: 'waiting' });
  const asked = await client('/chat/handoff', { as, body: { id: 'waiting' } });
  return String(asked.json['conversationId']);
}

test('every idempotent operation is tested', () => {
  const ids = operations.flatMap((operation) => ('idempotent' in operation ? operation.id : []));
  assert.deepEqual(ids.sort(), Object.keys(CREATIONS).sort());
});

for (const [id, creation] of Object.entries(CREATIONS))
  test(`a repeated ${id} returns the first response and creates nothing`, async () => {
    const [path, body, table] = await creation();
    const idempotencyKey = randomUUID();
    const before = await count(table);
    const first = await send(path, session, idempotencyKey, body);
    assert.ok(first.status < 300 && !isReplay(first), first.text);
    const again = await send(path, session, idempotencyKey, body);
    assert.ok(isReplay(again), again.text);
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    for (const name of ['location', 'content-type', 'cache-control', 'deprecation'])
      assert.equal(again.headers.get(name), first.headers.get(name), name);
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
    assert.equal(await count(table), before + 1);
  });

test('an API key that repeats a link gets the first response, although the response is not stored', async () => {
  const before = await count('links');
  const responses = await count('idempotent_responses');
  const first = await makeLink('derived', { sub: 'derived' });
  assert.ok(first.status === 200 && !isReplay(first), first.text);
  const again = await makeLink('derived', { sub: 'derived' });
  assert.ok(isReplay(again), again.text);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  for (const name of ['location', 'content-type', 'cache-control'])
    assert.equal(again.headers.get(name), first.headers.get(name), name);
  assert.equal(await count('links'), before + 1);
  assert.equal(await count('idempotent_responses'), responses);
  assert.match(String(first.json['token']), /^[\w-]{43}$/);
});

test('a repeated link is returned after its request has become invalid', async () => {
  const body = { sub: 'soon', exp: Math.floor(Date.now() / 1000) + 2 };
  const first = await makeLink('soon', body);
  assert.equal(first.status, 200, first.text);
  const send = () => client('/assistant-link', { as: key, body });
  await until('the time has passed', async () => (await send()).status === 400);
  const again = await makeLink('soon', body);
  assert.ok(isReplay(again), again.text);
  assert.equal(again.text, first.text);
});

test('a repetition after an erasure creates a new link with another token', async () => {
  const repeat = () => makeLink('erased', { sub: 'erased' });
  const first = await repeat();
  const path = `/spaces/${spaceId}/subjects/erased`;
  const erased = await client(path, { method: 'DELETE', as: session });
  assert.equal(erased.json['storedResponses'], 1, erased.text);
  const second = await repeat();
  assert.deepEqual([second.status, isReplay(second)], [200, false]);
  assert.notEqual(second.json['token'], first.json['token']);
  const third = await repeat();
  assert.deepEqual([third.text, isReplay(third)], [second.text, true]);
});

test('a repeated creation of a key that reads conversations is rejected when its creator no longer owns the space', async () => {
  const maker = await makeUser(client, session, 'maker');
  await giveRole(client, session, botId, maker.id, 'owner');
  const as = await signIn(client, maker);
  const path = `/spaces/${spaceId}/api-keys`;
  const body = { name: 'reader', scopes: ['conversations:read'] };
  for (const { id: other } of (await client(`/spaces/${spaceId}/bots`, { as: session })).json[
    'items'
  ] as { id: number }[])
    await giveRole(client, session, other, maker.id, 'owner');
  assert.equal((await send(path, as, 'reader', body)).status, 201);
  assert.ok(isReplay(await send(path, as, 'reader', body)));
  await giveRole(client, session, botId, maker.id, 'editor');
  const rejected = await send(path, as, 'reader', body);
  assert.deepEqual([rejected.status, rejected.json['code']], [403, 'access.forbidden']);
});

test('the deprecation header of a link for a bot is replayed', async () => {
  const [bot] = await stored(dataDir, 'select id from bots where space_id = ?', spaceId);
  const first = await makeLink('bot', { botId: Number(bot?.['id']) });
  const again = await makeLink('bot', { botId: Number(bot?.['id']) });
  assert.ok(isReplay(again));
  assert.match(first.headers.get('deprecation') ?? '', /^@\d+$/);
  assert.equal(again.headers.get('deprecation'), first.headers.get('deprecation'));
});

test('a repeated multipart upload may have another boundary but not another part', async () => {
  const path = `/spaces/${spaceId}/documents`;
  const upload = (boundary: string, metadata: string) => {
    const { body, ...more } = multipart(boundary, metadata);
    return send(path, key, 'upload', body, more);
  };
  const first = await upload('one', '{"team":"a"}');
  assert.equal(first.status, 201, first.text);
  const again = await upload('another', '{"team":"a"}');
  assert.ok(isReplay(again), again.text);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  const other = await upload('one', '{"team":"b"}');
  assert.deepEqual([other.status, other.json['code']], [422, 'http.idempotency-mismatch']);
});

test('an upload of an existing file returns its first response although nothing was created', async () => {
  const body = { fileName: 'existing.txt', text: 'An existing document.' };
  const path = `/spaces/${spaceId}/documents`;
  assert.equal((await client(path, { as: key, body })).status, 201);
  assert.equal((await send(path, key, 'existing', body)).status, 200);
  const again = await send(path, key, 'existing', body);
  assert.deepEqual([again.status, isReplay(again)], [200, true]);
});

test('a key that was used for another body or path gets 422', async () => {
  const first = await makeLink('used', { sub: 'ada' });
  assert.equal(first.status, 200, first.text);
  for (const answer of [
    await makeLink('used', { sub: 'bob' }),
    await send('/assistant-link', key, 'used', '{"sub": "ada"}'),
    await send(`/spaces/${spaceId}/documents`, key, 'used', { sub: 'ada' }),
  ]) {
    assert.deepEqual([answer.status, answer.json['code']], [422, 'http.idempotency-mismatch']);
  }
  assert.ok(isReplay(await makeLink('used', { sub: 'ada' })));
});

test('a key that was used for a stored response creates no link, and the other way round', async () => {
  const upload = (name: string) =>
    send(`/spaces/${spaceId}/documents`, key, name, { fileName: `${name}.txt`, text: name });
  const ofBot = (name: string) => makeLink(name, { botId });
  const ofSpace = (name: string) => makeLink(name, { sub: name });
  const creations = [upload, ofBot, ofSpace];
  const links = await count('links');
  for (const [index, create] of creations.entries()) {
    const name = `first ${index}`;
    assert.ok((await create(name)).status < 300);
    for (const other of creations.filter((one) => one !== create)) {
      const answer = await other(name);
      assert.deepEqual([answer.status, answer.json['code']], [422, 'http.idempotency-mismatch']);
    }
    assert.ok(isReplay(await create(name)));
  }
  assert.equal(await count('links'), links + 2);
});

test('callers do not share keys', async () => {
  const other = await makeKey(client, session, spaceId, SCOPES);
  const answers = [];
  for (const as of [key, other, session])
    answers.push(await makeLink('shared', { spaceId, sub: 'shared' }, as));
  assert.ok(answers.every((answer) => answer.status === 200 && !isReplay(answer)));
  assert.equal(new Set(answers.map(({ json }) => json['token'])).size, 3);
});

test('a key has 1 to 255 printable ASCII characters', async () => {
  for (const good of ['x', ' ~!"', 'a, b', 'x'.repeat(255)])
    assert.equal((await makeLink(good, { sub: 'limits' })).status, 200, good);
  for (const bad of ['', 'x'.repeat(256), 'caf\u00e9', 'a\tb']) {
    const answer = await makeLink(bad, { sub: 'limits' });
    assert.deepEqual([answer.status, answer.json['code']], [400, 'http.idempotency-key-invalid']);
  }
  const twice = await sendBytes(
    service.port,
    `POST /assistant-link HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  );
  assert.equal(twice.status, 400);
  assert.match(twice.body, /http\.idempotency-key-invalid/);
});

test('a failed request stores nothing, so its key can be used again', async () => {
  assert.equal((await makeLink('failed', { ttlSeconds: 1 })).status, 400);
  const answer = await makeLink('failed', { ttlSeconds: 60 });
  assert.deepEqual([answer.status, isReplay(answer)], [200, false]);
});

test('a replay requires the right that the first request required', async () => {
  const user = await makeUser(client, session, 'colleague');
  const { id, botId } = await makeSpace(client, session);
  await giveRole(client, session, botId, user.id, 'editor');
  const colleague = await signIn(client, user);
  const repeat = () => makeLink('revoked', { spaceId: id, sub: 'ada' }, colleague);
  assert.equal((await repeat()).status, 200);
  assert.ok(isReplay(await repeat()));
  await giveRole(client, session, botId, user.id, 'viewer');
  const denied = await repeat();
  assert.deepEqual([denied.status, isReplay(denied)], [403, false]);
});

test('a replay for a bot requires the right on this bot', async () => {
  const user = await makeUser(client, session, 'toolmaker');
  const { id, botId: first } = await makeSpace(client, session);
  const body = { name: 'Second' };
  const second = await client(`/spaces/${id}/bots`, { as: session, body });
  for (const bot of [first, Number(second.json['id'])])
    await giveRole(client, session, bot, user.id, 'editor');
  const as = await signIn(client, user);
  const create = () => send(`/bots/${first}/tools`, as, 'tool of a bot', TOOL);
  assert.equal((await create()).status, 201);
  assert.ok(isReplay(await create()));
  await giveRole(client, session, first, user.id, 'viewer');
  const denied = await create();
  assert.deepEqual([denied.status, isReplay(denied)], [403, false]);
  assert.ok(!denied.text.includes('whsec_'));
});

test('of concurrent requests with one key, one creates a link and the others get it or 409', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => makeLink('concurrent', { sub: 'concurrent' })),
  );
  const made = answers.filter(({ status }) => status === 200);
  assert.equal(new Set(made.map(({ json }) => json['token'])).size, 1);
  assert.equal(made.filter((answer) => !isReplay(answer)).length, 1);
  for (const { status, json, headers } of answers)
    if (status !== 200) {
      assert.deepEqual([status, json['code']], [409, 'http.idempotency-running']);
      assert.equal(headers.get('retry-after'), '1');
    }
  assert.equal(await count('links', "sub = 'concurrent'"), 1);
});

test('a key is in use while its first request runs, and free after the client disconnects', async () => {
  const path = `/spaces/${spaceId}/documents`;
  const headers = { 'idempotency-key': 'slow' };
  // An invalid body stores nothing, so the upload can still start.
  const repeat = () => send(path, key, 'slow', {});
  const upload = await runUpload(
    () => beginUpload(service.url, key, { path, fileName: 'slow.txt', headers }),
    async () => (await repeat()).status === 409,
  );
  const answer = await repeat();
  assert.deepEqual([answer.status, answer.json['code']], [409, 'http.idempotency-running']);
  assert.equal(answer.headers.get('retry-after'), '1');
  upload.abandon();
  await until('the key is free', async () => (await repeat()).status === 400);
});

test('operations that create none of our resources ignore the header', async () => {
  const ignored = (path: string, body: unknown, as = session) =>
    send(path, as, 'caf\u00e9', body).then(({ status }) => status);
  assert.equal(await ignored(`/events?spaceId=${spaceId}`, { events: [] }), 200);
  assert.equal(await ignored('/assistant-link/exchange', { linkToken: 'unknown' }), 401);
  assert.equal(await ignored(`/spaces/${spaceId}/search`, { query: 'a' }), 200);
});

test('stored responses contain no plain token or key', { skip: SQLITE_ONLY }, async () => {
  const { json } = await makeLink('sealed', { sub: 'sealed' });
  assert.ok(isReplay(await makeLink('sealed', { sub: 'sealed' })));
  const everything = await allStored(dataDir);
  assert.ok(!everything.includes(String(json['token'])));
  assert.ok(!everything.includes('idempotency-key'));
});

test('the files of the store contain neither the token of a link with a key nor the key', {
  skip: SQLITE_ONLY,
}, async () => {
  const idempotencyKey = `derived ${randomUUID()}`;
  const { json } = await makeLink(idempotencyKey, { sub: 'derived' });
  const token = String(json['token']);
  const everything = await allStored(dataDir);
  assert.equal(Buffer.from(token, 'base64url').toString('base64url'), token);
  assert.equal(token.length, 43);
  const selector = token.slice(0, 20);
  assert.ok(everything.includes(createHash('sha256').update(selector).digest('hex')));
  for (const secret of [selector, token, idempotencyKey]) assert.ok(!everything.includes(secret));
});

test('deleting a space removes its stored responses in the same transaction', async () => {
  const { id } = await makeSpace(client, session);
  assert.equal((await makeLink('deleted', { spaceId: id }, session)).status, 200);
  assert.equal(await count('idempotent_responses', 'resource_space_id = ?', id), 1);
  await client(`/spaces/${id}`, { method: 'DELETE', as: session });
  assert.equal(await count('idempotent_responses', 'resource_space_id = ?', id), 0);
  assert.equal((await makeLink('deleted', { spaceId: id }, session)).status, 403);
});

test('a caller can use a limited number of keys within 24 hours', async () => {
  const limited = await makeKey(client, session, spaceId, SCOPES);
  for (let used = 0; used < 40; used += 1)
    assert.equal((await makeLink(`limit ${used}`, { sub: 'limit', botId }, limited)).status, 200);
  const answer = await makeLink('one more', { sub: 'limit', botId }, limited);
  assert.deepEqual([answer.status, answer.json['code']], [429, 'http.too-many-idempotency-keys']);
  assert.ok(isReplay(await makeLink('limit 0', { sub: 'limit', botId }, limited)));
  const unkeyed = await client('/assistant-link', { as: limited, body: { sub: 'limit' } });
  assert.equal(unkeyed.status, 200);
  assert.equal(await count('links', "sub = 'limit'"), 41);
});
