import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import type { Client, ClientResponse } from '../http/client.ts';
import type { Seeded } from '../seeded.ts';
import { makeEvent, type SentEvent } from './events.ts';

/** Events of one request that no earlier request contained, by space. */
type Fresh = readonly (readonly SentEvent[])[];

const MAX_EVENTS = 25;

export interface CrashClients {
  /** Sends batches of events for all spaces until the connection breaks. */
  sendUntilFailure(client: Client): Promise<void>;
  makeLinksUntilFailure(client: Client): Promise<void>;
  /**
   * Asserts that every acknowledged event is stored once, and that the events of each unanswered request are stored
   * either completely or not at all. Call this method before sending events again.
   *
   * @param feeds event IDs in the feed of each space.
   */
  assertKept(feeds: readonly (readonly string[])[]): void;
  /**
   * Asserts that every acknowledged link created since the last call can be exchanged. Repeats the unanswered requests, and asserts
   * that each request created exactly one link.
   */
  assertLinksOpen(client: Client): Promise<void>;
  summary(): string;
}

/** @param keys one API key per space. */
export function createCrashClients(keys: readonly string[], random: Seeded): CrashClients {
  /** Events of finished requests, by space. Clients send some of these events again. */
  const older: SentEvent[][] = keys.map(() => []);
  const acknowledged = keys.map(() => new Set<string>());
  let broken: Fresh[] = [];
  let links: string[] = [];
  let unanswered: LinkRequest[] = [];
  const count = { answered: 0, broken: 0, links: 0, replayed: 0 };

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
    const request = { as: random.pick(keys), id: randomUUID() };
    const answer = await unlessBroken(sendLink(client, request));
    if (answer === null) {
      unanswered.push(request);
      return false;
    }
    assert.equal(answer.status, 200, answer.text);
    links.push(String(answer.json['token']));
    count.links += 1;
    return true;
  }

  async function repeatLink(client: Client, request: LinkRequest): Promise<void> {
    let answer = await sendLink(client, request);
    // The semaphore of a killed replica becomes free after some seconds.
    for (; answer.status === 409; answer = await sendLink(client, request)) await sleep(200);
    assert.equal(answer.status, 200, answer.text);
    if (answer.headers.get('idempotent-replayed') === 'true') count.replayed += 1;
    links.push(String(answer.json['token']));
    const { json } = await client(`/assistant-link?sub=${request.id}`, { as: request.as });
    assert.equal((json['items'] as unknown[]).length, 1, 'a repeated request created a link');
  }

  return {
    sendUntilFailure: async (client) => {
      while (await sendOne(client));
    },
    makeLinksUntilFailure: async (client) => {
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
          'the feed contains an event that was never sent',
        );
      }
      for (const fresh of broken) {
        const found = fresh.flatMap((events, place) =>
          events.map((event) => kept[place]?.has(String(event['id']))),
        );
        assert.ok(new Set(found).size <= 1, 'an unanswered request was stored partially');
      }
      broken = [];
    },
    assertLinksOpen: async (client) => {
      for (const request of unanswered) await repeatLink(client, request);
      unanswered = [];
      const exchanges = links.map((linkToken) =>
        client('/assistant-link/exchange', { body: { linkToken } }),
      );
      for (const { status, text } of await Promise.all(exchanges)) assert.equal(status, 200, text);
      links = [];
    },
    summary: () =>
      `${count.answered} requests answered, ${count.broken} broken, ${count.links} links made, ${count.replayed} repeated requests replayed`,
  };
}

interface LinkRequest {
  /** API key. */
  readonly as: string;
  /** The `sub` of the link, and the `Idempotency-Key`. */
  readonly id: string;
}

function sendLink(client: Client, { as, id }: LinkRequest): Promise<ClientResponse> {
  return client('/assistant-link', {
    as,
    body: { sub: id },
    headers: { 'idempotency-key': id },
  });
}

/** Returns `null` if the connection broke before the response was complete. */
async function unlessBroken(pending: Promise<ClientResponse>): Promise<ClientResponse | null> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
