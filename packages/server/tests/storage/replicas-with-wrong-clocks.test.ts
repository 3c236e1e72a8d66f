/** Replicas on one PostgreSQL database whose clocks are five minutes ahead or behind. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { type Client, clientOf } from '../support/http/client.ts';
import { makeLink, makeSpace, signIn } from '../support/provision.ts';
import { runCommand } from '../support/services/run-service.ts';
import { ADMIN } from '../support/services/service.ts';
import { startReplicas } from '../support/storage/replicas.ts';

const SHIFT_MS = 300_000;
const FLAGS = ['--import', join(import.meta.dirname, '../support/services/shift-clock.ts')];

describe('a replica with a wrong clock', { skip: postgresIsMissing }, () => {
  const opened = new AsyncDisposableStack();
  let [right, ahead, behind] = [] as unknown as [Client, Client, Client];
  let session = '';
  let spaceId = '';
  let databaseUrl = '';
  before(async () => {
    const first = opened.use(await startReplicas(1));
    databaseUrl = first.databaseUrl;
    const urls = [first.services[0]?.url ?? ''];
    for (const shift of [SHIFT_MS, -SHIFT_MS]) {
      const env = { TEST_CLOCK_SHIFT_MS: String(shift) };
      const shifted = opened.use(await startReplicas(1, env, databaseUrl, FLAGS));
      urls.push(shifted.services[0]?.url ?? '');
    }
    [right, ahead, behind] = urls.map(clientOf) as [Client, Client, Client];
    session = await signIn(right);
    spaceId = (await makeSpace(right, session)).id;
  });
  after(() => opened.disposeAsync());

  const exchange = async (client: Client, linkToken: string) =>
    (await client('/assistant-link/exchange', { body: { linkToken } })).status;

  test('rejects a link that has expired and accepts a link that has not', async () => {
    const exp = Math.ceil(Date.now() / 1000) + 3;
    const short = await makeLink(right, session, { spaceId, exp });
    const long = await makeLink(right, session, { spaceId, ttlSeconds: 120 });
    await sleep(exp * 1000 - Date.now() + 500);
    for (const client of [right, ahead, behind]) {
      assert.equal(await exchange(client, short.token), 410);
      assert.equal(await exchange(client, long.token), 200);
    }
  });

  test('is not used by the commands for operators', async () => {
    const run = async (shift: number, args: readonly string[]) => {
      const env = {
        GATEHOUSE_DATABASE_URL: databaseUrl,
        GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
        TEST_CLOCK_SHIFT_MS: String(shift),
        NODE_OPTIONS: FLAGS.join(' '),
      };
      const { code, stdout, stderr } = await runCommand([...args, '--json'], env).ended;
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const link = await run(-2 * SHIFT_MS, ['sign-in-link', ADMIN.email]);
    const token = String(link['url']).split('=').at(-1);
    assert.equal((await right('/auth/redeem', { body: { token } })).status, 200);
    const { signsFrom } = await run(10 * SHIFT_MS, ['rotate-signing-key']);
    assert.ok(Date.parse(String(signsFrom)) < Date.now() + 3 * SHIFT_MS);
  });
});
