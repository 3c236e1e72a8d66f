import { setTimeout as sleep } from 'node:timers/promises';
import type { FoundPassage } from '@gatehouse/contract';
import { openLink } from '../../../packages/server/tests/support/assistant/chat.ts';
import { feedPages } from '../../../packages/server/tests/support/events/events.ts';
import { type Client, clientOf } from '../../../packages/server/tests/support/http/client.ts';
import { addDocument } from '../../../packages/server/tests/support/knowledge/knowledge.ts';
import { makeKey, makeLink, makeSpace } from '../../../packages/server/tests/support/provision.ts';
import type { ChildServer } from '../../../packages/server/tests/support/services/child-server.ts';
import type {
  Backups,
  RestoredCopy,
} from '../../../packages/server/tests/support/storage/backups.ts';
import { oneByOne } from '../pace.ts';
import { attempt, type Part, type Setting, violations } from '../setting.ts';
import { type SentEvents, Tally } from '../tally.ts';

/** Data that a restored service must have, and the token of a link that it must reject. */
interface Expected {
  readonly events: readonly number[];
  /** Cursor after the newest event of the feed. */
  readonly end: string | null;
  readonly word: string;
  readonly linkToken: string;
  readonly revokedToken: string;
}

/**
 * Periodically backs up the data while the service runs. Checks that a service on the restored backup has the data that was acknowledged
 * before the backup, and of the events those since the backup before.
 */
export async function startBackups(
  setting: Setting,
  sent: SentEvents,
  backups: Backups,
  startCopy: (copy: RestoredCopy) => Promise<ChildServer>,
  pauseMs: number,
): Promise<Part> {
  const { client, session, key, failures, signal } = setting;
  const space = await makeSpace(client, session, { name: 'Backups' });
  const scopes = ['links:write', 'knowledge:write', 'read'] as const;
  const ownKey = await makeKey(client, session, space.id, scopes);
  const restored = new Tally();
  const wrong = { events: 0, repeated: 0, documents: 0, links: 0 };
  let made = 0;
  let resume: string | null = null;

  /** Returns the cursor after the newest event of the running service. The events of a restored service have other positions. */
  async function endOfFeed(): Promise<string | null> {
    const answer = await client('/events?order=newest&limit=1', { as: key });
    return answer.json['resume'] as string | null;
  }

  /** Adds a document, a valid link and a revoked link. */
  async function prepare(): Promise<Expected> {
    const word = `canary${made}`;
    await addDocument(client, ownKey, space.id, { fileName: `${word}.md`, markdown: `A ${word}.` });
    const link = { sub: word };
    const { token: linkToken } = await makeLink(client, ownKey, link);
    const revoked = await makeLink(client, ownKey, link);
    await client(`/assistant-link/${revoked.id}`, { method: 'DELETE', as: ownKey });
    const events = [...sent.acknowledged()];
    return { events, end: await endOfFeed(), word, linkToken, revokedToken: revoked.token };
  }

  /** Reads the events that were added to the feed since the last backup was prepared. */
  async function readEvents(copy: Client, { events, end }: Expected): Promise<void> {
    const read = new Tally();
    for await (const { items } of feedPages(copy, key, resume))
      for (const { event } of items) {
        read.add(event['id']);
        restored.add(event['id']);
      }
    wrong.events += events.filter((number) => restored.count(number) === 0).length;
    wrong.repeated += events.filter((number) => read.count(number) > 1).length;
    resume = end;
  }

  async function compare(copy: Client, expected: Expected): Promise<void> {
    await readEvents(copy, expected);
    const { as } = await openLink(copy, ownKey, { sub: 'reader' });
    const found = await copy(`/spaces/${space.id}/search`, { as, body: { query: expected.word } });
    const items = found.json['items'] as FoundPassage[];
    if (!items.some(({ text }) => text.includes(expected.word))) wrong.documents += 1;
    for (const [linkToken, status] of [
      [expected.linkToken, 200],
      [expected.revokedToken, 410],
    ] as const) {
      const exchanged = await copy('/assistant-link/exchange', { body: { linkToken } });
      if (exchanged.status !== status) {
        wrong.links += 1;
        failures.push(`exchange on a restored backup: ${exchanged.status} instead of ${status}`);
      }
    }
  }

  async function backUpAndRestore(): Promise<void> {
    const expected = await prepare();
    await backups.backUp();
    await using copy = await backups.restoreCopy();
    await using service = await startCopy(copy);
    await compare(clientOf(service.url), expected);
    made += 1;
  }

  return {
    run: () =>
      oneByOne(0, signal, async () => {
        await sleep(pauseMs, null, { signal }).catch(() => {});
        await attempt(setting, 'backup and its restored copy', backUpAndRestore);
      }),
    check: async () =>
      violations({
        'new acknowledged events that a restored backup lacks': wrong.events,
        'events that a restored backup contains more than once': wrong.repeated,
        'documents that a restored backup does not find': wrong.documents,
        'links with another state in a restored backup': wrong.links,
        'backups that were not compared': made === 0 ? 1 : 0,
      }),
    counts: () => ({ restoredBackups: made }),
  };
}
