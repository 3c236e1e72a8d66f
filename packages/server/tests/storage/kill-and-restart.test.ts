/**
 * Crash test: in each round clients send requests, the process is killed with SIGKILL at a random moment, and it
 * restarts on the same data. `GATEHOUSE_TEST_ROUNDS` sets the number of rounds and `GATEHOUSE_TEST_SEED` repeats the
 * choices of a run; the state of the process at a kill still varies.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { backendOf } from '../support/backend.ts';
import { FULL, roundsOf, SEED } from '../support/campaign.ts';
import { clientOf } from '../support/client.ts';
import { createCrashClients } from '../support/crash-clients.ts';
import { idsOf, readFeed } from '../support/events.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { runService } from '../support/run-service.ts';
import { seeded } from '../support/seeded.ts';
import { ADMIN, startService, temporaryDirectory } from '../support/service.ts';

const ROUNDS = roundsOf(6, 300);
const CLIENTS = 4;
/** A round sends for up to this long before the kill. */
const SENDING_MS = 150;
/** Every so many rounds the process is also killed while it starts, up to this long after it began. */
const KILL_START_EVERY = 3;
const STARTING_MS = 400;
const ENV = { GATEHOUSE_RATE_LIMIT_EXCHANGE: '0' };

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

async function killWhileStarting(): Promise<void> {
  const { process: child, ended } = runService({
    ...ENV,
    ...(await backendOf(directory.path)),
    GATEHOUSE_DATA_DIR: directory.path,
    GATEHOUSE_PORT: '0',
    GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
    GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
  });
  await sleep(random.below(STARTING_MS));
  child.kill('SIGKILL');
  const { code, stderr } = await ended;
  assert.equal(code, null, stderr);
}

async function makeKeys(): Promise<[string, string]> {
  await using service = await startService(directory.path, { env: ENV });
  const client = clientOf(service.url);
  const session = await signIn(client);
  const makeOne = async () => makeKey(client, session, (await makeSpace(client, session)).id);
  return [await makeOne(), await makeOne()];
}

test(`what was acknowledged survives ${ROUNDS} kills, once and whole`, async (context) => {
  context.diagnostic(`seed ${SEED}`);
  for (let turn = 0; turn < (FULL ? 3 : 1); turn += 1) await killWhileStarting();
  const keys = await makeKeys();
  const sent = createCrashClients(keys, random);
  const seen = keys.map(() => ({ resume: null as string | null, ids: [] as string[] }));

  for (let round = 1; round <= ROUNDS; round += 1) {
    if (round % KILL_START_EVERY === 0) await killWhileStarting();
    await using service = await startService(directory.path, { env: ENV });
    const client = clientOf(service.url);
    await sent.assertLinksOpen(client);
    for (const [place, key] of keys.entries()) {
      const before = seen[place];
      assert.ok(before);
      const { items, resume } = await readFeed(client, key, before.resume);
      seen[place] = { resume, ids: [...before.ids, ...idsOf(items.map((item) => item.event))] };
    }
    sent.assertKept(seen.map(({ ids }) => ids));
    const clients = Array.from({ length: CLIENTS }, () => sent.sendUntilItBreaks(client));
    clients.push(sent.makeLinksUntilItBreaks(client));
    await sleep(random.below(SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await startService(directory.path, { env: ENV });
  const client = clientOf(service.url);
  const whole = await Promise.all(
    keys.map(async (key) => idsOf((await readFeed(client, key)).items.map((item) => item.event))),
  );
  sent.assertKept(whole);
  for (const [place, { ids }] of seen.entries())
    assert.deepEqual(
      whole[place]?.slice(0, ids.length),
      ids,
      'a feed never changes behind a reader',
    );
  await sent.assertLinksOpen(client);
  context.diagnostic(sent.summary());
  assert.equal(await service.stop(), 0);
});
