/**
 * Crash test. In each round, clients send requests. Then the process is killed with SIGKILL at a random time and
 * restarted on the same data. `GATEHOUSE_TEST_ROUNDS` sets the number of rounds. `GATEHOUSE_TEST_SEED` reproduces the
 * random choices of a run, but not the timing of the process.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { createCrashClients } from '../support/events/crash-clients.ts';
import { idsOf, readFeed } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { runService } from '../support/services/run-service.ts';
import { ADMIN, startService, temporaryDirectory } from '../support/services/service.ts';
import { backendOf } from '../support/storage/backend.ts';
import { stored } from '../support/storage/stored.ts';

const ROUNDS = roundsOf(3, 300);
const CLIENTS = 4;
/** Maximum time between the first request of a round and the kill. */
const MAX_SENDING_MS = 150;
/** In rounds divisible by this number, a process is also killed during its start. */
const KILL_START_EVERY = 3;
/** Maximum time between the start of a process and a kill during its start. */
const MAX_STARTING_MS = 400;
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
  await sleep(random.below(MAX_STARTING_MS));
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

test(`acknowledged data survives ${ROUNDS} kills and is stored exactly once`, async (context) => {
  context.diagnostic(`seed ${SEED}`);
  for (let kill = 0; kill < (FULL ? 3 : 1); kill += 1) await killWhileStarting();
  const keys = await makeKeys();
  const sent = createCrashClients(keys, random);
  const seen = keys.map(() => ({ resume: null as string | null, ids: [] as string[] }));

  for (let round = 1; round <= ROUNDS; round += 1) {
    if (round % KILL_START_EVERY === 0) await killWhileStarting();
    await using service = await startService(directory.path, { env: ENV });
    const client = clientOf(service.url);
    await sent.assertLinksOpen(client);
    for (const [index, key] of keys.entries()) {
      const before = seen[index];
      assert.ok(before);
      const { items, resume } = await readFeed(client, key, before.resume);
      seen[index] = { resume, ids: [...before.ids, ...idsOf(items.map((item) => item.event))] };
    }
    sent.assertKept(seen.map(({ ids }) => ids));
    const clients = Array.from({ length: CLIENTS }, () => sent.sendUntilFailure(client));
    clients.push(sent.makeLinksUntilFailure(client));
    await sleep(random.below(MAX_SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await startService(directory.path, { env: ENV });
  const client = clientOf(service.url);
  const feeds = await Promise.all(
    keys.map(async (key) => idsOf((await readFeed(client, key)).items.map((item) => item.event))),
  );
  sent.assertKept(feeds);
  for (const [index, { ids }] of seen.entries())
    assert.deepEqual(
      feeds[index]?.slice(0, ids.length),
      ids,
      'events that were read before have changed',
    );
  await sent.assertLinksOpen(client);
  const unrecorded = await stored(directory.path, 'select id from links where creator_id is null');
  assert.deepEqual(unrecorded, [], 'links without an audit entry');
  context.diagnostic(sent.summary());
  assert.equal(await service.stop(), 0);
});
