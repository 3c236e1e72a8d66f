/** A credential that ends while the body of its request arrives. Without a check after the body, one held request outlives it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginRequest } from '../support/http/slow-request.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import {
  giveRole,
  type MadeUser,
  makeKey,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client, service } = await serviceOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_SIGN_IN: '0' },
});
const admin = await signIn(client);
const { id: spaceId, botId } = await makeSpace(client, admin);
await addDocument(client, admin, spaceId, {
  fileName: 'salaries.txt',
  text: 'The salary of Ada.',
});

interface Started {
  readonly path: string;
  readonly body: object;
}

const inSpace = (path: string, body: object) => ({ path: `/spaces/${spaceId}/${path}`, body });
const REQUESTS: Record<string, Started> = {
  'a search': inSpace('search', { query: 'salary' }),
  'an upload': inSpace('documents', { fileName: 'new.txt', text: 'New.' }),
  'a link': { path: '/assistant-link', body: { spaceId } },
};
const OF_USERS: Record<string, Started> = {
  ...REQUESTS,
  'an API key': inSpace('api-keys', { name: 'Persists', scopes: ['read'] }),
  'an invitation': {
    path: `/bots/${botId}/members`,
    body: { email: 'friend@example.com', role: 'owner' },
  },
};

/** The service verifies a credential again if the body takes longer than 100 ms. */
const HELD_MS = 200;

/** Ends a credential while the body of a request arrives, and returns the response. */
async function sendAround(
  as: string,
  { path, body }: Started,
  end: () => Promise<void>,
  more: Readonly<Record<string, string>> = {},
) {
  const headers = { authorization: `Bearer ${as}`, ...more };
  const running = await beginRequest(service.port, { path, headers, body: JSON.stringify(body) });
  await Promise.all([end(), sleep(HELD_MS)]);
  return running.finish();
}

let users = 0;
async function newUser(): Promise<MadeUser> {
  users += 1;
  return makeUser(client, admin, `user-${users}`);
}

async function change(user: MadeUser, body: object): Promise<void> {
  const changed = await client(`/users/${user.id}`, { method: 'PATCH', as: admin, body });
  assert.equal(changed.status, 200, changed.text);
}

for (const [name, request] of Object.entries(REQUESTS))
  test(`${name} with a key that is revoked while the body arrives is rejected`, async () => {
    const scopes = ['links:write', 'knowledge:write', 'read'] as const;
    const key = await makeKey(client, admin, spaceId, scopes);
    const keys = await client(`/spaces/${spaceId}/api-keys`, { as: admin });
    const [{ id }] = (keys.json['items'] as [{ id: string }]).slice(-1) as [{ id: string }];
    const answer = await sendAround(key, request, async () => {
      const path = `/spaces/${spaceId}/api-keys/${id}`;
      assert.equal((await client(path, { method: 'DELETE', as: admin })).status, 204);
    });
    assert.equal(answer.status, 401, answer.body);
    assert.equal(JSON.parse(answer.body).code, 'access.unknown-credential');
  });

for (const [name, request] of Object.entries(OF_USERS))
  test(`${name} of a user who is disabled while the body arrives is rejected`, async () => {
    const user = await newUser();
    await giveRole(client, admin, botId, user.id, 'owner');
    const answer = await sendAround(await signIn(client, user), request, () =>
      change(user, { disabled: true }),
    );
    assert.equal(answer.status, 401, answer.body);
  });

test('an upload of a user whose role is lowered while the body arrives is rejected', async () => {
  const user = await newUser();
  await giveRole(client, admin, botId, user.id, 'editor');
  const upload = inSpace('documents', { fileName: 'late.txt', text: 'Late.' });
  const answer = await sendAround(await signIn(client, user), upload, () =>
    giveRole(client, admin, botId, user.id, 'viewer'),
  );
  assert.equal(answer.status, 403, answer.body);
});

test('a repeated upload with an Idempotency-Key is rejected if the role is lowered while the body arrives', async () => {
  const user = await newUser();
  await giveRole(client, admin, botId, user.id, 'editor');
  const as = await signIn(client, user);
  const upload = inSpace('documents', { fileName: 'repeated.txt', text: 'Repeated.' });
  const headers = { 'idempotency-key': 'repeated' };
  const first = await client(upload.path, { as, body: upload.body, headers });
  assert.equal(first.status, 201, first.text);
  const lower = () => giveRole(client, admin, botId, user.id, 'viewer');
  const answer = await sendAround(as, upload, lower, headers);
  assert.equal(answer.status, 403, answer.body);
});

test('an administrator who becomes a plain user while the body arrives creates no user', async () => {
  const user = await newUser();
  await change(user, { admin: true });
  const body = { email: 'another@example.com', name: 'Another', password: 'another-password-1' };
  const answer = await sendAround(await signIn(client, user), { path: '/users', body }, () =>
    change(user, { admin: false }),
  );
  assert.equal(answer.status, 403, answer.body);
  const { text } = await client('/users', { as: admin });
  assert.ok(!text.includes(body.email));
});
