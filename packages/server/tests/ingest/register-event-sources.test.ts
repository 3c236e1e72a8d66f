import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { EventSourceWithSecret } from '@gatehouse/contract';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { stored } from '../support/storage/stored.ts';

const { client, dataDir } = await serviceOfThisFile();
const session = await signIn(client);

async function newSpace() {
  const { id } = await makeSpace(client, session);
  const path = `/spaces/${id}/event-sources`;
  const ask = async (method: string, rest = '', body?: unknown) =>
    client(path + rest, { method, as: session, ...(body === undefined ? {} : { body }) });
  const register = async (body: object) => {
    const answer = await ask('POST', '', { name: 'shop', ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json as unknown as EventSourceWithSecret;
  };
  return { id, ask, register };
}

const secretText = () => `whsec_${randomBytes(32).toString('base64')}`;

test('an event source can be registered, listed, shown, changed and deleted, and its secret is returned only once', async () => {
  const { id: spaceId, ask, register } = await newSpace();
  const { secret, ...made } = await register({ source: 'urn:shop', match: 'prefix' });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(made.spaceId, spaceId);
  assert.deepEqual([made.signatureRequired, made.feedsKnowledge], [false, false]);
  assert.deepEqual(
    made.secrets.map(({ endsAt }) => endsAt),
    [null],
  );
  assert.deepEqual((await ask('GET', `/${made.id}`)).json, { ...made });
  assert.deepEqual((await ask('GET')).json, { items: [made], next: null });
  const change = { name: 'renamed', signatureRequired: true, feedsKnowledge: true };
  const changed = await ask('PATCH', `/${made.id.toUpperCase()}`, change);
  assert.deepEqual(changed.json, { ...made, ...change });
  assert.deepEqual((await ask('PATCH', `/${made.id}`, {})).json, { ...made, ...change });
  assert.equal((await ask('DELETE', `/${made.id}`)).status, 204);
  for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
    const gone = await ask(method, `/${made.id}`, body);
    assert.equal(gone.json['code'], 'sources.not-found');
  }
  const rotated = await ask('POST', `/${made.id}/secrets`, {});
  assert.equal(rotated.json['code'], 'sources.not-found');
});

test('does not find a source of another space', async () => {
  const mine = await newSpace();
  const { id } = await mine.register({ source: 'urn:shop' });
  const theirs = await newSpace();
  assert.equal((await theirs.ask('GET', `/${id}`)).status, 404);
  assert.equal((await theirs.ask('PATCH', `/${id}`, { name: 'x' })).status, 404);
  assert.equal((await theirs.ask('POST', `/${id}/secrets`, {})).status, 404);
  assert.equal((await theirs.ask('DELETE', `/${id}`)).status, 404);
  assert.equal((await mine.ask('GET', `/${id}`)).json['name'], 'shop');
});

test('accepts a valid secret from the client and rejects an invalid secret without returning it', async () => {
  const { ask, register } = await newSpace();
  const given = secretText();
  assert.equal((await register({ source: 'urn:shop', secret: given })).secret, given);
  const wrong = 'whsec_dG9vIHNob3J0IHRvIGJlIHNhZmU=';
  const refused = await ask('POST', '', { name: 'x', source: 'urn:other', secret: wrong });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /secret: must be whsec_ followed by 24 to 64 bytes in base64/);
  assert.ok(!refused.text.includes(wrong.slice(6, 14)));
});

test('reports all problems in a request body and suggests names for unknown members', async () => {
  const { ask } = await newSpace();
  const body = { source: 'urn:', match: 'prefix', signatureRequird: true, secret: 'x' };
  const { status, json } = await ask('POST', '', body);
  assert.equal(status, 400);
  const messages = (json['issues'] as { message: string }[]).map(({ message }) => message);
  assert.equal(messages.length, 4);
  assert.ok(messages.includes('name: is required'));
  assert.ok(
    messages.includes('signatureRequird: unknown member (did you mean signatureRequired?)'),
  );
  assert.ok(
    messages.some((message) => message.startsWith('source: must not consist of a scheme only')),
  );
  const change = await ask('PATCH', '/0199f3a2-0000-7000-8000-000000000000', { source: 'urn:b' });
  assert.match(change.text, /source: unknown member/);
  for (const source of ['urn:with space', 'urn:ä', 'urn:\u0000', '', 'x'.repeat(1001), 7])
    assert.equal((await ask('POST', '', { name: 'x', source })).status, 400, String(source));
});

test('a space can register the same source once as an exact match and once as a prefix', async () => {
  const { ask, register } = await newSpace();
  await register({ source: 'urn:shop' });
  await register({ source: 'urn:shop', match: 'prefix' });
  for (const match of ['exact', 'prefix']) {
    const again = await ask('POST', '', { name: 'again', source: 'urn:shop', match });
    assert.equal(again.status, 409);
    assert.equal(again.json['code'], 'sources.exists');
  }
  await (await newSpace()).register({ source: 'urn:shop' });
});

test('a space has at most 100 event sources, which are listed in pages', async () => {
  const { ask, register } = await newSpace();
  for (let count = 0; count < 100; count++) await register({ source: `urn:shop:${count}` });
  const one = await ask('POST', '', { name: 'one', source: 'urn:one' });
  assert.equal(one.status, 409);
  assert.equal(one.json['code'], 'sources.too-many');
  const seen: string[] = [];
  for (let next: unknown = ''; next !== null; ) {
    const page = await ask('GET', `?limit=30${next === '' ? '' : `&after=${next}`}`);
    seen.push(...(page.json['items'] as { source: string }[]).map(({ source }) => source));
    next = page.json['next'];
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, at) => `urn:shop:${at}`),
  );
});

test('after a rotation only the previous secret remains valid, for the requested time', async () => {
  const { ask, register } = await newSpace();
  const { id, secrets } = await register({ source: 'urn:shop' });
  const rotate = async (body?: object) => {
    const before = Date.now();
    const { status, json } = await ask('POST', `/${id}/secrets`, body);
    assert.equal(status, 201);
    return { before, after: Date.now(), ...(json as unknown as EventSourceWithSecret) };
  };
  const ends = (endsAt: string | null | undefined) => Date.parse(endsAt ?? '');
  const first = await rotate();
  assert.equal(first.secrets.length, 2);
  assert.equal(first.secrets[0]?.endsAt, null);
  assert.equal(first.secrets[1]?.createdAt, secrets[0]?.createdAt);
  const end = ends(first.secrets[1]?.endsAt) - 86_400_000;
  assert.ok(first.before <= end && end <= first.after);
  const given = secretText();
  const second = await rotate({ secret: given, keepOldSeconds: 60 });
  assert.equal(second.secret, given);
  assert.equal(second.secrets.length, 2);
  assert.equal(second.secrets[1]?.createdAt, first.secrets[0]?.createdAt);
  const third = await rotate({ keepOldSeconds: 0 });
  assert.equal(third.secrets.length, 1);
  for (const keepOldSeconds of [-1, 0.5, 2_592_001, '60'])
    assert.equal((await ask('POST', `/${id}/secrets`, { keepOldSeconds })).status, 400);
});

test('stores secrets encrypted and deletes them with their source or space', async () => {
  const { id: spaceId, ask, register } = await newSpace();
  const { id } = await register({ source: 'urn:shop' });
  await register({ source: 'urn:other' });
  const sealed = () =>
    stored(dataDir, 'select sealed from event_source_secrets where space_id = ?', spaceId);
  assert.equal((await sealed()).length, 2);
  for (const row of await sealed()) assert.match(String(row['sealed']), /^s1\.[A-Za-z0-9_-]{90,}$/);
  await ask('DELETE', `/${id}`);
  assert.equal((await sealed()).length, 1);
  await client(`/spaces/${spaceId}`, { method: 'DELETE', as: session });
  assert.equal((await sealed()).length, 0);
});
