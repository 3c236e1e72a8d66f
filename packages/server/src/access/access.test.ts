import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openRoom } from './room.suite.ts';

const UNKNOWN_KEY = `gh_${'a'.repeat(43)}`;

test('no, malformed and unknown credentials are 401, each with its own code', async () => {
  await using room = await openRoom();
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{}, 'access.no-credential'],
    [{ authorization: 'Basic dXNlcjpwYXNz' }, 'access.malformed-credential'],
    [{ authorization: '' }, 'access.malformed-credential'],
    [{ 'x-api-key': 'abc' }, 'access.malformed-credential'],
    [{ authorization: 'Bearer abc' }, 'access.unknown-credential'],
    [{ authorization: `Bearer ${UNKNOWN_KEY}` }, 'access.unknown-credential'],
    [{ 'x-api-key': UNKNOWN_KEY }, 'access.unknown-credential'],
    [{ authorization: 'Bearer a.b.c' }, 'access.unknown-credential'],
  ];
  for (const [headers, code] of cases) {
    const answer = await room.app.inject({ url: '/auth/session', headers });
    assert.equal(answer.statusCode, 401, code);
    assert.equal(answer.json().code, code);
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
  }
});

test('a live widget session is 403, one that is not live is 401', async () => {
  await using room = await openRoom({ verifyWidgetSession: async (token) => token === 'a.b.live' });
  const live = await room.call('GET', '/auth/session', 'a.b.live');
  assert.equal(live.status, 403);
  assert.equal(live.body.code, 'access.wrong-credential');
  assert.equal((await room.call('GET', '/auth/session', 'a.b.dead')).status, 401);
});

test('a user that is disabled past this process is refused within a second', async () => {
  await using room = await openRoom();
  const ada = await room.person('ada@example.com');
  assert.equal((await room.call('GET', '/auth/session', ada.token)).status, 200);
  await room.db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', ada.id).execute();
  await new Promise((resolve) => setTimeout(resolve, 1001));
  assert.equal((await room.call('GET', '/auth/session', ada.token)).status, 401);
});

test('a lookup of a session or a key is one indexed read', async () => {
  await using room = await openRoom();
  const reads = [
    sql`explain query plan select 1 from sessions s join users u on u.id = s.user_id where s.token = 'x'`,
    sql`explain query plan select 1 from api_keys where key_hash = 'x'`,
    sql`explain query plan select role from bot_members where user_id = 'x' and space_id = 'y'`,
    sql`explain query plan select 1 from space_origins where origin = 'x'`,
  ];
  for (const read of reads) {
    const { rows } = await read.execute(room.db);
    for (const row of rows as { detail: string }[]) assert.match(row.detail, /^SEARCH .* USING/);
  }
});
