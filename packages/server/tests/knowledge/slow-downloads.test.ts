/** A client that reads a download slowly, so that a right can end before the service reads the rest of the file. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formOf } from '../support/http/form.ts';
import {
  exchangeLink,
  giveRole,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client, service } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId, botId } = await makeSpace(client, session);
/** More than the buffers of both sockets hold. */
const SIZE = 12 * 1024 * 1024;
/** The service confirms the right again after 100 ms. */
const HELD_MS = 200;
const permissionFilter = { team: { eq: 'ops' } };

/** Stores a file that no parser reads, so that indexing it takes no time. Returns the path of its document. */
async function store(fill: string): Promise<string> {
  const form = await formOf('plan.pdf', `%PDF-${fill.repeat(SIZE - 5)}`, {
    metadata: '{"team":"ops"}',
  });
  const path = `/spaces/${spaceId}/documents/by-key/plan`;
  const sent = await client(path, { method: 'PUT', as: session, ...form });
  assert.ok(sent.status === 201 || sent.status === 200, sent.text);
  return `/spaces/${spaceId}/documents/${sent.json['id']}`;
}

async function remove(path: string): Promise<void> {
  assert.equal((await client(path, { method: 'DELETE', as: session })).status, 204);
}

interface Reader {
  readonly as: string;
  readonly end: (path: string) => Promise<unknown>;
}

async function link(end: (id: string, path: string) => Promise<unknown>): Promise<Reader> {
  const { id, token } = await makeLink(client, session, { spaceId, permissionFilter });
  return { as: await exchangeLink(client, token), end: (path) => end(id, path) };
}

async function editor(): Promise<Reader> {
  const user = await makeUser(client, session, `editor-${Math.random()}`);
  await giveRole(client, session, botId, user.id, 'editor');
  const end = () => remove(`/bots/${botId}/members/${user.id}`);
  return { as: await signIn(client, user), end };
}

const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  'the link is revoked': () => link((id) => remove(`/assistant-link/${id}`)),
  'the link may no longer see the document': () =>
    link(async (_, path) => {
      const body = { metadata: { team: 'board' } };
      assert.equal((await client(path, { method: 'PATCH', as: session, body })).status, 200);
    }),
  'the document is replaced': () => link(() => store('b')),
  'the key is revoked': async () => {
    const as = await makeKey(client, session, spaceId, ['read']);
    const keys = await client(`/spaces/${spaceId}/api-keys`, { as: session });
    const { id } = (keys.json['items'] as { id: string }[]).at(-1) ?? assert.fail();
    return { as, end: () => remove(`/spaces/${spaceId}/api-keys/${id}`) };
  },
  'the user is removed from the space': editor,
};

/** Downloads a file, and ends the right after the first bytes. Returns the number of bytes that the client receives. */
async function readAround(path: string, as: string, end: () => Promise<unknown>): Promise<number> {
  const outgoing = request(`${service.url}${path}`, { headers: { authorization: `Bearer ${as}` } });
  const [incoming] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
  assert.equal(incoming.statusCode, 200);
  await Promise.all([end(), sleep(HELD_MS)]);
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(incoming, 'close').catch(() => {});
  return bytes;
}

for (const [name, open] of Object.entries(READERS))
  test(`a download ends if ${name}`, async () => {
    const path = await store('a');
    const { as, end } = await open();
    const bytes = await readAround(`${path}/content`, as, () => end(path));
    assert.ok(bytes < SIZE, `${bytes} bytes`);
    await remove(path);
  });

test('a download of an earlier version ends if the user is removed from the space', async () => {
  await store('a');
  const path = await store('b');
  const { as, end } = await editor();
  const bytes = await readAround(`${path}/versions/1/content`, as, () => end(path));
  assert.ok(bytes < SIZE, `${bytes} bytes`);
});

test('a download that is read slowly is complete while its right lasts', async () => {
  const path = await store('a');
  const { as } = await link(async () => {});
  assert.equal(await readAround(`${path}/content`, as, async () => {}), SIZE);
});
