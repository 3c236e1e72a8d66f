/**
 * Crash test. The process is killed with SIGKILL while invitations are redeemed. Afterwards each redemption has happened
 * completely or not at all: the link has ended, and its user has an account, a password, the role and a session.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, clientOf } from '../support/http/client.ts';
import { makeSpace, makeUser, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { stored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const ENV = { GATEHOUSE_RATE_LIMIT_SIGN_IN: '0' };
const SPACES = 14;
const STRANGERS = 4;
const PASSWORD = 'a long first password';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

interface Invited {
  readonly email: string;
  readonly botId: number;
  readonly token: string;
}

async function invite(client: Client, as: string, email: string): Promise<Invited> {
  const { botId } = await makeSpace(client, as);
  const body = { email, role: 'editor' };
  const { json } = await client(`/bots/${botId}/members`, { as, body });
  return { email, botId, token: String(json['url']).split('=')[1] ?? '' };
}

async function count(sql: string, ...values: (string | number)[]): Promise<number> {
  return (await stored(directory.path, sql, ...values)).length;
}

/** Returns the stored effects of a redemption, without the session. */
async function effectsOf({ email, botId }: Invited) {
  return {
    ended: await count(
      'select 1 from invitations where bot_id = ? and ended_at is not null',
      botId,
    ),
    member: await count(
      'select 1 from bot_members m join users u on u.id = m.user_id where m.bot_id = ? and u.email = ?',
      botId,
      email,
    ),
    password: await count(
      'select 1 from accounts a join users u on u.id = a.user_id where u.email = ?',
      email,
    ),
  };
}

test('a kill leaves every redemption complete or without any effect', async () => {
  const invited: Invited[] = [];
  const acknowledged = new Map<string, string>();
  let bobSession = '';
  {
    await using service = await startService(directory.path, { env: ENV });
    const client = clientOf(service.url);
    const admin = await signIn(client);
    const bob = await makeUser(client, admin, 'bob');
    bobSession = await signIn(client, bob);
    for (let n = 0; n < SPACES; n += 1)
      invited.push(
        await invite(client, admin, n < STRANGERS ? `stranger${n}@example.com` : bob.email),
      );
    const redemptions = invited.map(async ({ email, token }) => {
      const isBob = email === bob.email;
      const send = isBob
        ? { as: bobSession, body: { token } }
        : { body: { token, name: 'New', password: PASSWORD } };
      const answer = await client('/auth/redeem', send).catch(() => null);
      if (answer?.status === 200) acknowledged.set(token, String(answer.json['token']));
    });
    await until('some redemptions are acknowledged', () => acknowledged.size >= 4);
    await service.stop('SIGKILL');
    await Promise.all(redemptions);
  }

  await using service = await startService(directory.path, { env: ENV });
  const client = clientOf(service.url);
  let redeemed = 0;
  for (const [index, one] of invited.entries()) {
    const { ended, member, password } = await effectsOf(one);
    assert.equal(ended, member, one.email);
    assert.equal(password, index < STRANGERS ? ended : 1, one.email);
    redeemed += ended;
    const session = acknowledged.get(one.token);
    if (session === undefined) continue;
    assert.equal(ended, 1, 'an acknowledged redemption is stored');
    assert.equal((await client('/auth/session', { as: session })).status, 200);
  }
  // The administrator and Bob signed in once each.
  assert.equal(await count('select 1 from sessions'), redeemed + 2);
  const left = await Promise.all(
    invited.map(async ({ email, token }) => {
      const as = email === 'bob@example.com' ? { as: bobSession } : {};
      const body = { token, name: 'New', password: PASSWORD };
      return (await client('/auth/redeem', { ...as, body })).status;
    }),
  );
  assert.equal(left.filter((status) => status === 410).length, redeemed);
  assert.equal(left.filter((status) => status === 200).length, SPACES - redeemed);
});
