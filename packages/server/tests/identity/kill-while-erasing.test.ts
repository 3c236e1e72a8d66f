/**
 * Crash test. The process is killed with SIGKILL while a person is erased. Afterwards the person's rows are all there or all gone,
 * and a repeated request completes the erasure.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { makeEvent, readFeed } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { stored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const ROUNDS = roundsOf(2, 40);
const BATCHES = 40;
const EVENTS_PER_BATCH = 50;
/** Every second event belongs to the erased person. */
const EVENTS = (BATCHES * EVENTS_PER_BATCH) / 2;
const MAX_DELAY_MS = 300;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

async function count(sql: string, ...values: string[]): Promise<number> {
  const [row] = await stored(directory.path, `select count(*) as count ${sql}`, ...values);
  return Number(row?.['count']);
}

/** Returns the numbers of rows that one transaction erases, and the number of its audit entries. */
async function rowsOf(spaceId: string, sub: string) {
  return {
    conversations: await count('from conversations where owner = ?', `sub:${sub}`),
    links: await count('from links where sub = ?', sub),
    audit:
      (await count('from audit_entries where sub = ?', sub)) +
      (await count('from links where sub = ? and creator_kind is not null', sub)),
    erased: await count(
      "from audit_entries where action = 'person.erased' and resource_space_id = ?",
      spaceId,
    ),
  };
}

const COMPLETE = { conversations: 1, links: 1, audit: 2, erased: 0 };
const ERASED = { conversations: 0, links: 0, audit: 0, erased: 1 };

test(`after ${ROUNDS} kills, a repeated request completes the erasure`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const spaces: { spaceId: string; sub: string; key: string }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(directory.path);
    const client = clientOf(service.url);
    const admin = await signIn(client);
    const { id: spaceId } = await makeSpace(client, admin);
    const key = await makeKey(client, admin, spaceId);
    const sub = `person-${round}`;
    spaces.push({ spaceId, sub, key });
    const { as } = await openLink(client, admin, { spaceId, sub });
    await new Chat(service.url, as).ask('Who am I?');
    const subjects = [sub, 'somebody-else'];
    await Promise.all(
      Array.from({ length: BATCHES }, async () => {
        const events = Array.from({ length: EVENTS_PER_BATCH }, (_, index) =>
          makeEvent({ subject: subjects[index % 2] }),
        );
        const sent = await client('/events', { as: key, body: { events } });
        assert.equal(sent.status, 200, sent.text);
      }),
    );
    const erasing = client(`/spaces/${spaceId}/subjects/${sub}?events=true`, {
      method: 'DELETE',
      as: admin,
    }).catch(() => null);
    await sleep(random.below(MAX_DELAY_MS));
    await service.stop('SIGKILL');
    t.diagnostic(`the request was ${(await erasing) === null ? 'interrupted' : 'answered'}`);
  }

  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const admin = await signIn(client);
  for (const { spaceId, sub, key } of spaces) {
    const before = await rowsOf(spaceId, sub);
    t.diagnostic(JSON.stringify(before));
    assert.deepEqual(before, before.erased === 0 ? COMPLETE : ERASED);
    const erase = () =>
      client(`/spaces/${spaceId}/subjects/${sub}?events=true`, { method: 'DELETE', as: admin });
    const first = await erase();
    assert.equal(first.status, 200, first.text);
    assert.equal(first.json['links'], before.links);
    assert.equal(first.json['removedEvents'], first.json['events']);
    t.diagnostic(`${first.json['removedEvents']} of ${EVENTS} events were left`);
    const after = await rowsOf(spaceId, sub);
    assert.deepEqual({ ...after, erased: 1 }, ERASED);
    assert.ok(after.erased >= 1);
    const second = await erase();
    assert.deepEqual([...new Set(Object.values(second.json))], [0], second.text);
    const { items } = await readFeed(client, key);
    assert.equal(items.length, EVENTS);
    assert.ok(items.every(({ event }) => event['subject'] === 'somebody-else'));
  }
  await until('all erasures are finished', async () => (await count('from erasures')) === 0);
});
