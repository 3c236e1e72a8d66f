/**
 * Crash test. The process is killed with SIGKILL while a space with many links is deleted. A repeated request completes the deletion, the audit
 * contains the creation of each link once, and another space is not affected.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { clientOf } from '../support/http/client.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { stored } from '../support/storage/stored.ts';

const ROUNDS = roundsOf(2, 40);
const LINKS = 10_000;
const MAX_DELAY_MS = 300;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

async function count(sql: string, ...values: string[]): Promise<number> {
  const [row] = await stored(directory.path, `select count(*) as count ${sql}`, ...values);
  return Number(row?.['count']);
}

/** Stores links of a space, and a conversation of each. */
async function addContents(spaceId: string, botId: number): Promise<void> {
  const numbers = `with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < ${LINKS})`;
  const id = `'${spaceId} ' || (100000 + n)`;
  const add = (sql: string) => stored(directory.path, sql);
  await add(`insert into links (id, space_id, bot_id, token_hash, token_prefix, payload, exp, created_at,
      creator_kind, has_permission_filter)
    ${numbers} select ${id}, '${spaceId}', ${botId}, ${id}, 'prefix', '{}', 4e9, ${Date.now()}, 'operator', 0 from numbers`);
  await add(`insert into conversations (id, space_id, owner, link_id, chat_id, title, created_at, updated_at)
    ${numbers} select ${id}, '${spaceId}', 'link:' || ${id}, ${id}, 'chat', 'One?', ${Date.now()}, ${Date.now()} from numbers`);
}

async function contentsOf(spaceId: string) {
  const entries = 'from audit_entries where resource_space_id = ? and action =';
  return {
    links: await count('from links where space_id = ?', spaceId),
    conversations: await count('from conversations where space_id = ?', spaceId),
    created: await count(`${entries} 'link.created'`, spaceId),
    deleted: await count(`${entries} 'space.deleted'`, spaceId),
  };
}

test(`after ${ROUNDS} kills, repeated requests complete the deletion of spaces`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const spaces: { id: string; botId: number }[] = [];
  {
    await using service = await startService(directory.path);
    const client = clientOf(service.url);
    const admin = await signIn(client);
    for (let made = 0; made <= ROUNDS; made += 1) spaces.push(await makeSpace(client, admin));
  }
  for (const { id, botId } of spaces) await addContents(id, botId);
  const [other, ...deleted] = spaces;
  assert.ok(other);
  for (const { id } of deleted) {
    const service = await startService(directory.path);
    const client = clientOf(service.url);
    const admin = await signIn(client);
    const deleting = client(`/spaces/${id}`, { method: 'DELETE', as: admin }).catch(() => null);
    await sleep(random.below(MAX_DELAY_MS));
    await service.stop('SIGKILL');
    t.diagnostic(`the request was ${(await deleting) === null ? 'interrupted' : 'answered'}`);
  }

  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const admin = await signIn(client);
  for (const { id } of deleted) {
    const left = await contentsOf(id);
    t.diagnostic(JSON.stringify(left));
    assert.equal(left.links + left.created, LINKS);
    assert.ok(left.conversations <= left.links);
    const { status } = await client(`/spaces/${id}`, { method: 'DELETE', as: admin });
    assert.equal(status, left.deleted === 0 ? 204 : 403);
    const removed = { links: 0, conversations: 0, created: LINKS, deleted: 1 };
    assert.deepEqual(await contentsOf(id), removed);
  }
  const untouched = { links: LINKS, conversations: LINKS, created: 0, deleted: 0 };
  assert.deepEqual(await contentsOf(other.id), untouched);
});
