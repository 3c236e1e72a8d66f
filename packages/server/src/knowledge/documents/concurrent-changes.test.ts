import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { sql } from 'kysely';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { until } from '../../../tests/support/until.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { startKnowledge } from '../knowledge.suite.ts';
import type { SentDocument } from './sent-document.ts';

const POSTGRES_ONLY = { skip: ON_POSTGRES ? postgresIsMissing : 'SQLite has one writer' };
const { documents, store } = await startKnowledge();

const { db } = store.knowledge;

function textOf(text: string, metadata: SentDocument['metadata'] = {}): SentDocument {
  const content = Buffer.from(text);
  return { fileName: 'a.txt', mimeType: 'text/plain', content, metadata, language: undefined };
}

/** Creates a space with indexed documents. */
async function newSpace(keys: readonly string[]) {
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  const scope = new KnowledgeScope(spaceId, matchAll);
  const ids: string[] = [];
  for (const key of keys) ids.push((await documents.put(scope, key, textOf(key))).document.id);
  await until('all documents are indexed', async () =>
    (await documents.list(scope, {})).items.every(({ state }) => state === 'ready'),
  );
  return { scope, spaceId, ids };
}

/** Reports whether a statement waits for a lock. */
async function isAnyWaiting(): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

const CHANGES: readonly [string, (scope: KnowledgeScope, id: string) => Promise<unknown>][] = [
  ['new metadata', (scope, id) => documents.change(scope, id, { metadata: { a: 1 } })],
  ['merged metadata', (scope, id) => documents.mergeMetadata(scope, [id], { a: 1 })],
  ['a new version', (scope) => documents.put(scope, 'a', textOf('New.'))],
  ['new properties', (scope) => documents.put(scope, 'a', textOf('a', { a: 1 }))],
  ['a deletion', (scope, id) => documents.remove(scope, id)],
];

for (const [name, change] of CHANGES)
  test(`${name}: the document is locked before its versions`, POSTGRES_ONLY, async () => {
    const { scope, spaceId, ids } = await newSpace(['a']);
    const [id = ''] = ids;
    const changes: Promise<unknown>[] = [];
    await db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = 100`.execute(trx);
      await sql`select from documents where space_id = ${spaceId} for update`.execute(trx);
      changes.push(change(scope, id));
      await until('the change waits', isAnyWaiting);
      // If the change had written a version, this statement would wait for the change.
      await sql`insert into document_versions
        select space_id, id, 1, number, file_name, mime_type, language, title, given_title, url, size, sha256, metadata, updated_at
        from documents where space_id = ${spaceId}`.execute(trx);
      await sql`delete from document_versions where space_id = ${spaceId}`.execute(trx);
    });
    await Promise.all(changes);
  });

test('changes of the same documents at the same time all succeed', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  const { scope, ids } = await newSpace(keys);
  const rounds = Array.from({ length: 12 }, (_, n) => n);
  await Promise.all(
    rounds.flatMap((n) => [
      documents.put(scope, keys[n % 4] ?? '', textOf(`Version ${n}.`, { n })),
      documents.change(scope, ids[(n + 1) % 4] ?? '', { metadata: { n } }),
      documents.mergeMetadata(scope, n % 2 === 0 ? ids : ids.toReversed(), { merged: n }),
    ]),
  );
  await until('all documents are indexed', async () =>
    (await documents.list(scope, {})).items.every(({ state }) => state === 'ready'),
  );
});
