import assert from 'node:assert/strict';
import type { IngestResult } from '@gatehouse/contract';
import type { Answer, Client } from './client.ts';
import { makeEvent, type SentEvent } from './events.ts';
import type { Seeded } from './seeded.ts';

/** The events of one request that were sent for the first time, by space. */
type Fresh = readonly (readonly SentEvent[])[];

const MAX_EVENTS = 25;

/** Clients of a service that is about to be killed, and what they may hold it to afterwards. */
export interface CrashClients {
  /** Sends batches, to both spaces in one request, until the connection breaks. */
  sendUntilItBreaks(client: Client): Promise<void>;
  makeLinksUntilItBreaks(client: Client): Promise<void>;
  /**
   * That every acknowledged event is kept, none twice, and of a request that broke all or nothing. To
   * be called before events are sent again.
   *
   * @param feeds the ids in each space's feed.
   */
  assertKept(feeds: readonly (readonly string[])[]): void;
  /** That every link whose creation was answered since the last call can be exchanged. */
  assertLinksOpen(client: Client): Promise<void>;
  summary(): string;
}

/** @param keys one for each space. */
export function createCrashClients(keys: readonly string[], random: Seeded): CrashClients {
  /** Events of requests that are over, by space; some are sent again. */
  const older: SentEvent[][] = keys.map(() => []);
  const acknowledged = keys.map(() => new Set<string>());
  let broken: Fresh[] = [];
  let links: string[] = [];
  const count = { answered: 0, broken: 0, links: 0 };

  function makeBatch(): { sent: { event: SentEvent; place: number }[]; fresh: Fresh } {
    const fresh: SentEvent[][] = keys.map(() => []);
    const sent = Array.from({ length: 1 + random.below(MAX_EVENTS) }, () => {
      const place = random.below(keys.length);
      const known = older[place] ?? [];
      if (known.length > 0 && random.next() < 0.3) return { event: random.pick(known), place };
      const event = makeEvent({ data: 'x'.repeat(random.below(2000)) });
      fresh[place]?.push(event);
      return { event, place };
    });
    return { sent, fresh };
  }

  async function sendOne(client: Client): Promise<boolean> {
    const { sent, fresh } = makeBatch();
    const events = sent.map(({ event, place }) => ({ ...event, auth: { apiKey: keys[place] } }));
    const answer = await unlessBroken(client('/events', { body: { events } }));
    for (const [place, made] of fresh.entries()) older[place]?.push(...made);
    if (answer === null) {
      broken.push(fresh);
      count.broken += 1;
      return false;
    }
    assert.equal(answer.status, 200, answer.text);
    const result = JSON.parse(answer.text) as IngestResult;
    assert.deepEqual([result.failed, result.processed], [0, events.length], answer.text);
    for (const { event, place } of sent) acknowledged[place]?.add(String(event['id']));
    count.answered += 1;
    return true;
  }

  async function makeLink(client: Client): Promise<boolean> {
    const answer = await unlessBroken(
      client('/assistant-link', { as: random.pick(keys), body: { sub: 'kill' } }),
    );
    if (answer === null) return false;
    assert.equal(answer.status, 200, answer.text);
    links.push(String(answer.json['token']));
    count.links += 1;
    return true;
  }

  return {
    sendUntilItBreaks: async (client) => {
      while (await sendOne(client));
    },
    makeLinksUntilItBreaks: async (client) => {
      while (await makeLink(client));
    },
    assertKept: (feeds) => {
      const kept = feeds.map((ids) => new Set(ids));
      for (const [place, ids] of feeds.entries()) {
        assert.equal(kept[place]?.size, ids.length, 'an event is in the feed twice');
        const lost = [...(acknowledged[place] ?? [])].filter((id) => !kept[place]?.has(id));
        assert.deepEqual(lost, [], 'an acknowledged event is lost');
        const made = new Set(older[place]?.map((event) => event['id']));
        assert.ok(
          ids.every((id) => made.has(id)),
          'nobody has sent this event',
        );
      }
      for (const fresh of broken) {
        const found = fresh.flatMap((events, place) =>
          events.map((event) => kept[place]?.has(String(event['id']))),
        );
        assert.ok(new Set(found).size <= 1, 'half of an unanswered request was kept');
      }
      broken = [];
    },
    assertLinksOpen: async (client) => {
      const exchanges = links.map((linkToken) =>
        client('/assistant-link/exchange', { body: { linkToken } }),
      );
      for (const { status, text } of await Promise.all(exchanges)) assert.equal(status, 200, text);
      links = [];
    },
    summary: () =>
      `${count.answered} requests answered, ${count.broken} broken, ${count.links} links made`,
  };
}

/** Null when the connection broke before the answer was whole. */
async function unlessBroken(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
