import { randomBytes } from 'node:crypto';
import { feedPages, makeEvents } from '../../../../packages/server/tests/support/events/events.ts';
import { makeKey, makeSpace } from '../../../../packages/server/tests/support/provision.ts';
import { oneByOne } from '../../pace.ts';
import { type Part, type Setting, violations } from '../../setting.ts';
import { SentEvents } from '../../tally.ts';
import { sendEvents } from './traffic.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const PAUSE_MS = 2000;
const EVENTS = 100;
/** Old events are removed at least this often, in minutes. */
const REMOVED_WITHIN_MINUTES = 15;

/** Sends events to a space that stores only its newest events. */
export async function startRetention(setting: Setting): Promise<Part> {
  const { client, session, signal } = setting;
  const { id } = await makeSpace(client, session, { name: 'Short memory' });
  const key = await makeKey(client, session, id, ['events:write', 'read']);
  const body = { eventRetention: { maxBytes: MAX_BYTES } };
  const changed = await client(`/spaces/${id}`, { method: 'PATCH', as: session, body });
  if (changed.status !== 200) throw new Error(changed.text);
  const sent = new SentEvents();
  const startedAt = performance.now();
  let stored: number[] = [];

  async function storedNumbers(): Promise<number[]> {
    const numbers: number[] = [];
    for await (const { items } of feedPages(client, key))
      for (const { event } of items) numbers.push(Number(event['id']));
    return numbers;
  }

  return {
    run: () =>
      oneByOne(PAUSE_MS, signal, async () => {
        const events = makeEvents(EVENTS, {
          source: 'urn:test:short',
          type: 'test.short.seen',
        }).map((event) => ({
          ...event,
          id: sent.next('test.short.seen'),
          // The limit counts compressed bytes, so the data must not be compressible.
          data: randomBytes(150).toString('base64'),
        }));
        await sendEvents(setting, sent, events, key);
      }),
    check: async () => {
      stored = await storedNumbers();
      const first = sent.sent - stored.length;
      const minutes = (performance.now() - startedAt) / 60_000;
      return violations({
        'retained events that are not the newest ones in order': stored.filter(
          (number, index) => number !== first + index,
        ).length,
        'spaces whose old events are not removed':
          minutes > REMOVED_WITHIN_MINUTES && first === 0 ? 1 : 0,
      });
    },
    counts: () => ({ eventsWithRetention: sent.sent, retained: stored.length }),
  };
}
