import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { createAuditRepository } from './audit.repository.ts';
import { createAudit } from './audit.service.ts';

const EVERYTHING = { spaceId: null, from: null, to: null };

test('an export ends when its reader loses the right', async () => {
  await using store = await openNewStore();
  const rows = Array.from({ length: 1001 }, (_, index) => ({
    ...{ id: String(index).padStart(4, '0'), at: index, action: 'bot.created' },
    ...{ actor_kind: 'user' as const, actor_id: null, session_id: null, address: null },
    ...{ resource_space_id: null, resource_id: null, sub: null, details: null },
  }));
  for (let at = 0; at < rows.length; at += 500)
    await store.db
      .insertInto('audit_entries')
      .values(rows.slice(at, at + 500))
      .execute();
  const audit = createAudit(createAuditRepository(store.db));
  async function idsUntilEnd(mayRead: (checks: number) => boolean) {
    const ids: string[] = [];
    let checks = 0;
    const recheck = async () => {
      checks += 1;
      if (!mayRead(checks)) throw new Error('no right');
    };
    const ended = (async () => {
      for await (const text of audit.export(EVERYTHING, 'jsonl', recheck))
        for (const line of text.trimEnd().split('\n')) ids.push(JSON.parse(line).id);
    })();
    return { ids, ended: await ended.then(() => 'complete', String) };
  }
  const newestFirst = rows.map(({ id }) => id).toReversed();
  const all = await idsUntilEnd(() => true);
  assert.deepEqual(all, { ids: newestFirst, ended: 'complete' });
  const some = await idsUntilEnd((checks) => checks < 2);
  assert.deepEqual(some, { ids: newestFirst.slice(0, 1000), ended: 'Error: no right' });
});
