import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AuditEntry, InstallationStatus } from '@gatehouse/contract';
import { clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { signIn } from '../support/provision.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { runCommand } from '../support/services/run-service.ts';
import { ADMIN, startService, temporaryDirectory } from '../support/services/service.ts';
import { backendOf, ON_POSTGRES } from '../support/storage/backend.ts';
import { until } from '../support/until.ts';

const MODEL = {
  GATEHOUSE_MODEL_URL: 'https://model.example/v1',
  GATEHOUSE_MODEL_KEY: 'model-key-3f7a',
};
const SECRETS = {
  ...MODEL,
  GATEHOUSE_TRACES_URL: 'http://127.0.0.1:9/v1/traces',
  GATEHOUSE_TRACES_AUTHORIZATION: 'Bearer traces-key-91c2',
};

async function read(
  service: ChildServer,
  session?: string,
): Promise<{ status: InstallationStatus; text: string }> {
  const client = contractClient(clientOf(service.url));
  const as = session ?? (await signIn(client));
  const { status, json, text } = await client('/installation', { as });
  assert.equal(status, 200, text);
  return { status: json as unknown as InstallationStatus, text };
}

async function changesOfSettings(service: ChildServer): Promise<unknown[]> {
  const client = contractClient(clientOf(service.url));
  const answer = await client('/audit?action=settings.changed', { as: await signIn(client) });
  assert.equal(answer.status, 200, answer.text);
  const { items } = answer.json as unknown as { items: AuditEntry[] };
  return items.map(({ actor, details }) => {
    assert.equal(actor.type, 'operator');
    return details?.['settings'];
  });
}

describe('an administrator', () => {
  test('sees the version, the store, the jobs and the settings, but no secret', async () => {
    using directory = temporaryDirectory();
    const env = { ...SECRETS, GATEHOUSE_AUDIT_DAYS: '30' };
    await using service = await startService(directory.path, { env });
    const { status, text } = await read(service);
    assert.match(status.version, /^\d+\.\d+\.\d+/);
    assert.equal(status.store.engine, ON_POSTGRES ? 'postgresql' : 'sqlite');
    assert.match(status.store.version, /^\d+\.\d+/);
    assert.ok(status.store.bytes > 100_000);
    const [replica, ...others] = status.replicas;
    assert.deepEqual(others, []);
    assert.ok(replica?.isSelf && replica.version === status.version && replica.host !== '');
    assert.ok(replica.jobs.includes('idempotency'), replica.jobs.join());
    assert.ok(Math.abs(Date.parse(replica.startedAt) - Date.now()) < 120_000);
    if (ON_POSTGRES) assert.equal(status.disk, null);
    else {
      assert.equal(status.disk?.directory, directory.path);
      assert.ok(status.disk.freeBytes > 0 && status.disk.freeBytes < status.disk.totalBytes);
    }
    assert.equal(status.lastBackup, null);
    const settings = new Map(status.settings.map(({ name, ...setting }) => [name, setting]));
    assert.deepEqual(settings.get('GATEHOUSE_AUDIT_DAYS'), {
      value: '30',
      isSet: true,
      isSecret: false,
    });
    assert.deepEqual(settings.get('GATEHOUSE_HOST'), {
      value: '127.0.0.1',
      isSet: false,
      isSecret: false,
    });
    assert.deepEqual(settings.get('GATEHOUSE_MODEL_KEY'), {
      value: null,
      isSet: true,
      isSecret: true,
    });
    assert.equal(settings.get('GATEHOUSE_BASE_URL')?.value, null);
    const { GATEHOUSE_SECRET = 'none', GATEHOUSE_DATABASE_URL = 'none' } = await backendOf(
      directory.path,
    );
    for (const secret of [
      SECRETS.GATEHOUSE_MODEL_KEY,
      'traces-key-91c2',
      ADMIN.password,
      GATEHOUSE_SECRET,
      GATEHOUSE_DATABASE_URL,
    ])
      assert.ok(!text.includes(`"${secret}`) && !text.includes(`${secret}"`), secret);
  });

  test('sees the last backup that the command completed', { skip: ON_POSTGRES }, async () => {
    using directory = temporaryDirectory();
    using backups = temporaryDirectory();
    await using service = await startService(directory.path);
    const target = join(backups.path, 'first');
    const { code, stderr } = await runCommand(['backup', target, '--check'], {
      GATEHOUSE_DATA_DIR: directory.path,
    }).ended;
    assert.equal(code, 0, stderr);
    const { lastBackup } = (await read(service)).status;
    assert.ok(lastBackup !== null);
    const { finishedAt, bytes, ...rest } = lastBackup;
    assert.deepEqual(rest, { directory: target, isChecked: true });
    assert.ok(bytes > 100_000 && Math.abs(Date.parse(finishedAt) - Date.now()) < 120_000);
    const client = contractClient(clientOf(service.url));
    const audit = await client('/audit?action=backup.created', { as: await signIn(client) });
    assert.equal((audit.json['items'] as unknown[]).length, 1);
  });

  test('sees all replicas with their jobs, until a replica has ended', {
    skip: ON_POSTGRES ? false : 'SQLite has one process',
  }, async () => {
    using directory = temporaryDirectory();
    await using service = await startService(directory.path);
    const replica = await startService(directory.path);
    const { replicas } = (await read(replica)).status;
    assert.deepEqual(
      replicas.map(({ isSelf }) => isSelf),
      [false, true],
    );
    const jobs = replicas.flatMap((each) => each.jobs);
    assert.equal(new Set(jobs).size, jobs.length);
    assert.ok(jobs.length > 0);
    await replica.stop('SIGKILL');
    const session = await signIn(clientOf(service.url));
    await until('the killed replica is no longer listed', async () => {
      const left = (await read(service, session)).status.replicas;
      return left.length === 1 && left[0]?.isSelf === true;
    });
  });
});

test('a start with other settings is recorded in the audit, without secrets; other starts are not', async () => {
  using directory = temporaryDirectory();
  const started = async (env: Record<string, string>) => {
    await using service = await startService(directory.path, { env });
    return await changesOfSettings(service);
  };
  assert.deepEqual(await started(MODEL), []);
  assert.deepEqual(await started(MODEL), []);
  const changed = {
    ...MODEL,
    GATEHOUSE_MODEL_KEY: 'another-key',
    GATEHOUSE_AUDIT_DAYS: '30',
  };
  const expected = [
    { name: 'GATEHOUSE_AUDIT_DAYS', from: '365', to: '30' },
    { name: 'GATEHOUSE_MODEL_KEY', from: '[secret]', to: '[secret]' },
  ];
  assert.deepEqual(await started(changed), [expected]);
  assert.deepEqual(await started(changed), [expected]);
});
