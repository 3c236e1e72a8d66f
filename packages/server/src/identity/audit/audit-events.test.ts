import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../tests/support/until.ts';
import { actingFrom, OPERATOR, recordAction } from '../../platform/audit/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { type Database, inTransaction, type Store } from '../../storage/ports/index.ts';
import { createAuditRepository } from './audit.repository.ts';
import { createAuditEvents } from './audit-events.ts';

const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const SECRET = Buffer.alloc(32, 7);

async function addSpace(db: Database): Promise<void> {
  await db.insertInto('spaces').values({ id: SPACE, name: 'Audit', created_at: 1 }).execute();
}

const record = (db: Database, resourceId: string) =>
  actingFrom(OPERATOR, () =>
    inTransaction(db, (trx) =>
      recordAction(trx, { action: 'link.revoked', spaceId: null, resourceId }),
    ),
  );

interface Sent {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly data: { readonly id: string; readonly action: string };
}

async function sent({ events }: Store): Promise<Sent[]> {
  const page = await events.read({ spaceId: SPACE, after: 0, limit: 200 });
  return page.events.map(({ text }) => JSON.parse(text) as Sent);
}

function open(store: Store, changed: Partial<Parameters<typeof createAuditEvents>[0]> = {}) {
  const errors: unknown[] = [];
  const job = createAuditEvents({
    ...store,
    clock: Date.now,
    secret: SECRET,
    spaceId: SPACE,
    onError: (error) => errors.push(error),
    ...changed,
  });
  return { ...job, errors };
}

const queued = async ({ db }: Store) =>
  (await db.selectFrom('audit_outbox').select('id').execute()).length;

test('each new entry becomes one event, in order, with the ID of the entry', async () => {
  await using store = await openNewStore();
  await addSpace(store.db);
  await record(store.db, 'before');
  await using job = open(store);
  await job.start();
  const resources = Array.from({ length: 120 }, (_, index) => `r${String(index).padStart(3, '0')}`);
  for (const resource of resources) await record(store.db, resource);
  await until('no entry is queued', async () => (await queued(store)) === 0);
  const events = await sent(store);
  assert.deepEqual(
    events.map(({ subject }) => subject),
    resources.map((resource) => `link/${resource}`),
  );
  const everything = { spaceId: null, from: null, to: null };
  const entries = await createAuditRepository(store.db).list(everything, null, 120);
  assert.deepEqual(events.map(({ id }) => id).toSorted(), entries.map(({ id }) => id).toSorted());
  const [first] = events;
  assert.equal(first?.type, 'gatehouse.audit.link.revoked');
  assert.match(first.source, /^urn:gatehouse:[0-9a-f]{32}$/);
  assert.deepEqual([first.data.id, first.data.action], [first.id, 'link.revoked']);
});

test('a process that dies between the append and the removal from the queue loses and repeats nothing', async () => {
  await using store = await openNewStore();
  await addSpace(store.db);
  let appends = 0;
  {
    await using dying = open(store, {
      events: {
        append: async (batches) => {
          await store.events.append(batches);
          appends += 1;
          throw new Error('the process dies here');
        },
      },
    });
    await dying.start();
    for (const resource of ['a', 'b', 'c']) await record(store.db, resource);
    await until('an append has started', () => appends > 0);
    assert.ok(dying.errors.length > 0);
  }
  assert.equal(await queued(store), 3);
  await using job = open(store);
  await job.start();
  await until('no entry is queued', async () => (await queued(store)) === 0);
  const subjects = (await sent(store)).map(({ subject }) => subject);
  assert.deepEqual(subjects, ['link/a', 'link/b', 'link/c']);
});

test('entries wait for a missing space, and without a space nothing is queued', async () => {
  await using store = await openNewStore();
  {
    await using job = open(store);
    await job.start();
    await record(store.db, 'waiting');
    await until('the failure is reported', () => job.errors.length > 0);
    assert.equal(await queued(store), 1);
    await addSpace(store.db);
    await until('no entry is queued', async () => (await queued(store)) === 0);
    assert.equal((await sent(store)).length, 1);
  }
  await using off = open(store, { spaceId: null });
  await off.start();
  await record(store.db, 'ignored');
  assert.equal(await queued(store), 0);
});
