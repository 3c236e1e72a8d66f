import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { IngestResult } from '@gatehouse/contract';
import type { Client, ClientResponse, Send } from '../http/client.ts';
import { assertResponseMatches } from '../http/responses.ts';

export type SentEvent = Readonly<Record<string, unknown>>;

export interface FeedItem {
  readonly event: SentEvent;
  readonly receivedAt: string;
}

export interface FeedPage {
  readonly items: readonly FeedItem[];
  readonly next: string | null;
  readonly resume: string | null;
}

export function makeEvent(members: SentEvent = {}): SentEvent {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: 'urn:test:shop',
    type: 'test.order.paid',
    ...members,
  };
}

export function makeEvents(count: number, members: SentEvent = {}): SentEvent[] {
  return Array.from({ length: count }, () => makeEvent(members));
}

export function idsOf(events: readonly SentEvent[]): string[] {
  return events.map((event) => String(event['id']));
}

/** Posts events and asserts that the response matches the contract. */
export async function postEvents(client: Client, send: Send, query = ''): Promise<ClientResponse> {
  const answer = await client(`/events${query}`, { method: 'POST', ...send });
  assertResponseMatches({ method: 'POST', path: '/events', ...received(answer) });
  return answer;
}

/** Posts events, asserts status 200 and returns the result. */
export async function ingest(client: Client, send: Send, query = ''): Promise<IngestResult> {
  const answer = await postEvents(client, send, query);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as IngestResult;
}

export async function getPage(client: Client, as: string, query = ''): Promise<FeedPage> {
  const answer = await client(`/events${query}`, { as });
  assert.equal(answer.status, 200, answer.text);
  assertResponseMatches({ method: 'GET', path: '/events', ...received(answer) });
  return JSON.parse(answer.text) as FeedPage;
}

/** Returns the pages of the feed of the key's space after a cursor. */
export async function* feedPages(
  client: Client,
  key: string,
  after: string | null = null,
): AsyncGenerator<FeedPage> {
  let from = after;
  for (;;) {
    const query = from === null ? '' : `&after=${from}`;
    const answer = await client(`/events?limit=200${query}`, { as: key });
    assert.equal(answer.status, 200, answer.text);
    const page = JSON.parse(answer.text) as FeedPage;
    yield page;
    from = page.resume ?? from;
    if (page.next === null) return;
  }
}

/** Returns all feed items of the key's space after a cursor, and the cursor to resume from. */
export async function readFeed(
  client: Client,
  key: string,
  after: string | null = null,
): Promise<{ items: FeedItem[]; resume: string | null }> {
  const items: FeedItem[] = [];
  let resume = after;
  for await (const page of feedPages(client, key, after)) {
    items.push(...page.items);
    resume = page.resume ?? resume;
  }
  return { items, resume };
}

export async function feedIds(client: Client, key: string): Promise<string[]> {
  return idsOf((await readFeed(client, key)).items.map((item) => item.event));
}

function received({ status, headers, text }: ClientResponse) {
  return { status, headers, body: text };
}
