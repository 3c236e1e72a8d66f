import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { feedIds, idsOf, ingest, makeEvents, type SentEvent } from '../support/events/events.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { inheritedVariables } from '../support/services/child-server.ts';
import { programOfCommands } from '../support/services/program.ts';
import { runCommand } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { type Backups, backupsOf } from '../support/storage/backups.ts';
import { until } from '../support/until.ts';

const CLIENTS = 4;
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

/**
 * A client that alternately sends batches of events and creates links. It records the acknowledged events and links.
 */
class Sender implements AsyncDisposable {
  readonly acknowledged: SentEvent[] = [];
  readonly tokens: string[] = [];
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(client: Client, key: string) {
    this.#running = this.#run(client, key);
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(client: Client, key: string): Promise<void> {
    while (!this.#stopped) {
      const events = makeEvents(20, { data: 'x'.repeat(500) });
      const { processed } = await ingest(client, { as: key, body: { events } });
      assert.equal(processed, events.length);
      this.acknowledged.push(...events);
      this.tokens.push((await makeLink(client, key, { sub: 'ada' })).token);
    }
  }
}

interface Saved {
  readonly key: string;
  /** IDs of the events that were acknowledged before the backup started. */
  readonly before: readonly string[];
  /** Tokens of the links that were acknowledged before the backup started. */
  readonly links: readonly string[];
  readonly sent: readonly SentEvent[];
}

/** Backs up a new service while clients send requests, and then kills the service. */
async function backUpUnderLoad(dataDir: string, backups: Backups): Promise<Saved> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startService(dataDir));
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const senders = Array.from({ length: CLIENTS }, () => opened.use(new Sender(client, key)));
  const acknowledged = () => senders.flatMap((sender) => sender.acknowledged);
  await until('events were acknowledged', () => acknowledged().length > 2000);

  const before = idsOf(acknowledged());
  const links = senders.flatMap(({ tokens }) => tokens);
  await backups.backUp();
  await Promise.all(senders.map((sender) => sender.stop()));
  await service.stop('SIGKILL');
  return { key, before, links, sent: acknowledged() };
}

test('a restored backup contains every event and link acknowledged before the backup, exactly once', async (context) => {
  const dataDir = join(directory.path, 'data');
  const backups = await backupsOf(dataDir, directory.path);
  const { key, before, links, sent } = await backUpUnderLoad(dataDir, backups);
  await backups.destroy();
  await backups.restore();

  await using restored = await startService(dataDir, {
    env: { GATEHOUSE_RATE_LIMIT_EXCHANGE: '0' },
  });
  const restoredClient = clientOf(restored.url);
  const kept = await feedIds(restoredClient, key);
  const known = new Set(kept);
  assert.equal(known.size, kept.length);
  for (const id of before) assert.ok(known.has(id), 'an acknowledged event is lost');
  const ever = new Set(idsOf(sent));
  for (const id of kept) assert.ok(ever.has(id), 'an event was never sent');
  for (const token of links) assert.ok(await exchangeLink(restoredClient, token));
  assert.ok(await signIn(restoredClient));

  // Senders send their events again after the restore. The service does not store duplicates.
  for (let at = 0; at < sent.length; at += 100)
    await ingest(restoredClient, { as: key, body: { events: sent.slice(at, at + 100) } });
  assert.deepEqual((await feedIds(restoredClient, key)).toSorted(), idsOf(sent).toSorted());
  context.diagnostic(`${before.length} events before the backup, ${sent.length} in total`);
});

test('a backup command that fails reports its error', async () => {
  const dataDir = join(directory.path, 'never-saved');
  const noDirectory = join(directory.path, 'a-file');
  writeFileSync(noDirectory, '');
  const backups = await backupsOf(dataDir, noDirectory);
  await using _service = await startService(dataDir);
  await assert.rejects(backups.backUp(), /a-file/);
});

test('a backup is readable only by its owner, is created atomically and never replaces existing files', {
  skip: SQLITE_ONLY,
}, async () => {
  const dataDir = join(directory.path, 'quiet');
  await using service = await startService(dataDir);
  const to = join(directory.path, 'backups', 'first');
  assert.deepEqual(backUp(dataDir, to), { code: 0, said: '' });
  assert.deepEqual(readdirSync(to).toSorted(), ['gatehouse.db', 'gatehouse.db-wal', 'keys']);
  assert.equal(statSync(to).mode & 0o777, 0o700);
  for (const file of ['gatehouse.db', 'gatehouse.db-wal', 'keys/secret'])
    assert.equal(statSync(join(to, file)).mode & 0o777, 0o600);
  assert.ok(!existsSync(`${to}.part`));
  for (const args of [[to], ['--to', to]]) {
    const twice = backUp(dataDir, ...args);
    assert.equal(twice.code, 64);
    assert.match(twice.said, /already exists/);
  }
  const another = join(directory.path, 'backups', 'second');
  assert.deepEqual(backUp(dataDir, '--check', '--to', another), { code: 0, said: '' });
  assert.equal(backUp(dataDir).code, 64);
  assert.equal(await service.stop(), 0);
});

test('a backup command says whether the backup contains the secret', {
  skip: SQLITE_ONLY,
}, async () => {
  for (const secret of [undefined, randomBytes(32).toString('base64')]) {
    const dataDir = join(directory.path, `secret-${secret === undefined}`);
    const env = secret === undefined ? {} : { GATEHOUSE_SECRET: secret };
    await using _ = await startService(dataDir, { env });
    const to = `${dataDir}-backup`;
    const settings = { GATEHOUSE_DATA_DIR: dataDir, ...env };
    const { stdout, stderr } = await runCommand(['backup', to], settings).ended;
    const isIncluded = existsSync(join(to, 'keys/secret'));
    assert.equal(isIncluded, secret === undefined);
    assert.equal(stdout.includes('and the secret'), isIncluded, stdout);
    assert.equal(stderr.includes('does not contain the secret'), !isIncluded, stderr);
  }
});

test('a backup that is copied over the data directory of a killed service replaces all of its data', {
  skip: SQLITE_ONLY,
}, async () => {
  const dataDir = join(directory.path, 'overwritten');
  const to = join(directory.path, 'backups', 'earlier');
  await using service = await startService(dataDir);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const [before, after] = [makeEvents(3), makeEvents(3)];
  await ingest(client, { as: key, body: { events: before } });
  assert.deepEqual(backUp(dataDir, '--check', to), { code: 0, said: '' });
  await ingest(client, { as: key, body: { events: after } });
  await service.stop('SIGKILL');
  assert.ok(statSync(join(dataDir, 'gatehouse.db-wal')).size > 0);

  cpSync(to, dataDir, { recursive: true });
  await using restored = await startService(dataDir);
  assert.deepEqual(await feedIds(clientOf(restored.url), key), idsOf(before));
});

const RESTORES_BESIDE: Readonly<Record<string, (backup: string, dataDir: string) => void>> = {
  'copied over': (backup, dataDir) => cpSync(backup, dataDir, { recursive: true }),
  'put in the place of': (backup, dataDir) => {
    renameSync(dataDir, `${dataDir}.broken`);
    renameSync(backup, dataDir);
  },
};
for (const [how, restore] of Object.entries(RESTORES_BESIDE))
  test(`a service ends before it acknowledges anything if a backup is ${how} its data directory`, {
    skip: SQLITE_ONLY,
  }, async () => {
    const dataDir = join(directory.path, how.replaceAll(' ', '-'));
    const to = join(directory.path, 'backups', how);
    await using service = await startService(dataDir, { capture: true });
    const client = clientOf(service.url);
    const session = await signIn(client);
    const key = await makeKey(client, session, (await makeSpace(client, session)).id);
    const before = makeEvents(3);
    await ingest(client, { as: key, body: { events: before } });
    assert.deepEqual(backUp(dataDir, to), { code: 0, said: '' });
    await ingest(client, { as: key, body: { events: makeEvents(3) } });

    restore(to, dataDir);
    const answer = await client('/events', { as: key, body: { events: makeEvents(1) } }).catch(
      () => null,
    );
    assert.ok(answer === null || answer.status === 503);
    await until('the service has ended', () => service.process.exitCode !== null);
    assert.equal(service.process.exitCode, 75);
    assert.match(service.output().stdout, /were replaced while the service was running/);

    await using restored = await startService(dataDir);
    assert.deepEqual(await feedIds(clientOf(restored.url), key), idsOf(before));
  });

function backUp(dataDir: string, ...args: string[]): { code: number | null; said: string } {
  const { status, stderr } = spawnSync(process.execPath, [programOfCommands(), 'backup', ...args], {
    encoding: 'utf8',
    env: { ...inheritedVariables(), GATEHOUSE_DATA_DIR: dataDir },
  });
  return { code: status, said: stderr };
}
