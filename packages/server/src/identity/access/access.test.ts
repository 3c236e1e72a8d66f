import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import type { Database } from '../../storage/ports/database.ts';
import { inTransaction } from '../../storage/ports/transactions.ts';
import { openIdentity } from '../identity.suite.ts';

const UNKNOWN_KEY = `gh_${'a'.repeat(43)}`;

test('missing, malformed and unknown credentials get 401, each with its own code', async () => {
  await using identity = await openIdentity();
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
    const answer = await identity.app.inject({ url: '/auth/session', headers });
    assert.equal(answer.statusCode, 401, code);
    assert.equal(answer.json().code, code);
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
  }
});

test('the error for a token that is not a session names the credentials and how to get them', async () => {
  await using identity = await openIdentity();
  const { body } = await identity.call('GET', '/auth/session', 'undefined');
  assert.match(
    String(body.message),
    /API key, which starts with `gh_`.*sign in again.*\/assistant-link\/exchange/,
  );
});

test('an active widget session gets 403, and an ended widget session gets 401', async () => {
  await using identity = await openIdentity({
    verifyWidgetSession: async (token) => token === 'a.b.live',
  });
  const live = await identity.call('GET', '/auth/session', 'a.b.live');
  assert.equal(live.status, 403);
  assert.equal(live.body.code, 'access.wrong-credential');
  assert.equal((await identity.call('GET', '/auth/session', 'a.b.dead')).status, 401);
});

test('a user is rejected within one second after another process disables the user', async () => {
  await using identity = await openIdentity();
  const ada = await identity.person('ada@example.com');
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 200);
  await identity.db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', ada.id).execute();
  await new Promise((resolve) => setTimeout(resolve, 1001));
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 401);
});

test('queries find sessions, keys, roles and origins by index', async () => {
  await using identity = await openIdentity();
  const id = randomUUID();
  const reads = [
    sql`select 1 from sessions s join users u on u.id = s.user_id where s.token = 'x'`,
    sql`select 1 from api_keys where key_hash = 'x'`,
    sql`select role from bot_members where user_id = ${sql.lit(id)} and space_id = ${sql.lit(id)}`,
    sql`select 1 from space_origins where origin = 'x'`,
  ];
  for (const read of reads)
    for (const step of await lookups(identity.db, read))
      assert.match(step, ON_POSTGRES ? /(Index|Bitmap) / : /^SEARCH .* USING/);
});

/** Returns the query plan's table access steps. */
async function lookups(db: Database, read: RawBuilder<unknown>): Promise<string[]> {
  if (!ON_POSTGRES) {
    const { rows } = await sql<{ detail: string }>`explain query plan ${read}`.execute(db);
    return rows.map(({ detail }) => detail);
  }
  // PostgreSQL prefers a sequential scan of small tables.
  const { rows } = await inTransaction(db, async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx);
    return sql<{ 'QUERY PLAN': string }>`explain ${read}`.execute(trx);
  });
  return rows.map((row) => row['QUERY PLAN']).filter((line) => /Scan/.test(line));
}
