import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../../support/events/events.ts';
import { registerSource, signedEvent } from '../../support/events/signing.ts';
import type { Client, ClientResponse, Send } from '../../support/http/client.ts';
import { documentEvent } from '../../support/knowledge/document-events.ts';
import { assertDocumentsMatchFeed } from '../../support/knowledge/documents-match-feed.ts';
import { makeKey, makeSpace, signIn } from '../../support/provision.ts';
import type { Seeded } from '../../support/seeded.ts';

/** Data that the service has acknowledged. This data must survive every later power cut. */
interface Acknowledged<Thing> {
  readonly thing: Thing;
  /** Length of the recording at the time of the acknowledgement. */
  readonly at: number;
}

interface UploadedDocument {
  readonly id: string;
  readonly text: string;
}

interface Setup {
  readonly spaceId: string;
  readonly key: string;
  /** Secret of an event source. The service encrypts it with a key from a separate file. */
  readonly secret: string;
}

export interface ExpectedData {
  assertKept(client: Client): Promise<void>;
}

export interface PowerCutClients {
  /** Sends events, creates links and uploads documents until the connections break. */
  sendUntilFailure(client: Client): Promise<void>;
  /** Returns the data that was acknowledged before a position in the recording. */
  expectedAt(position: number): ExpectedData;
  summary(): string;
}

const SENDERS = 3;
const MAX_EVENTS = 12;
const MAX_DATA = 9000;
const SUBJECTS = 12;
const UPLOADED = 'uploaded.txt';
const SIGNED_SOURCE = 'urn:test:signed';
const RESENT_AT_ONCE = 100;

export function createPowerCutClients(random: Seeded, now: () => number): PowerCutClients {
  const events: Acknowledged<SentEvent>[] = [];
  const links: Acknowledged<string>[] = [];
  const documents: Acknowledged<UploadedDocument>[] = [];
  let setup: Acknowledged<Setup> | undefined;
  const thingsBefore = <Thing>(all: readonly Acknowledged<Thing>[], position: number) =>
    all.filter(({ at }) => at <= position).map(({ thing }) => thing);

  async function ready(client: Client) {
    if (setup !== undefined) return setup.thing;
    const session = await signIn(client);
    const { id: spaceId } = await makeSpace(client, session);
    const key = await makeKey(client, session, spaceId, [
      'events:write',
      'knowledge:write',
      'links:write',
      'read',
    ]);
    const { secret } = await registerSource(client, session, spaceId, { source: SIGNED_SOURCE });
    setup = { thing: { spaceId, key, secret }, at: now() };
    return setup.thing;
  }

  function nextEvent(): SentEvent {
    const kind = random.next();
    if (kind < 0.1 && events.length > 0) return random.pick(events).thing;
    const subject = `s${random.below(SUBJECTS)}`;
    if (kind < 0.13) return documentEvent({ subject });
    const text = randomBytes(random.below(MAX_DATA)).toString('base64');
    if (kind < 0.3)
      return documentEvent({ subject, data: { fileName: `${subject}.txt`, text: `Word ${text}` } });
    return makeEvent({ data: text });
  }

  async function sendEvents(client: Client, key: string): Promise<boolean> {
    const sent = Array.from({ length: 1 + random.below(MAX_EVENTS) }, nextEvent);
    const answer = await ask(client, '/events', { as: key, body: { events: sent } });
    if (answer === null) return false;
    assert.deepEqual([answer.status, answer.json['failed']], [200, 0], answer.text);
    const at = now();
    for (const thing of sent) events.push({ thing, at });
    return true;
  }

  async function makeLink(client: Client, key: string): Promise<boolean> {
    const answer = await ask(client, '/assistant-link', { as: key, body: { sub: 'cut' } });
    if (answer === null) return false;
    assert.equal(answer.status, 200, answer.text);
    links.push({ thing: String(answer.json['token']), at: now() });
    return true;
  }

  async function upload(client: Client, key: string, spaceId: string): Promise<boolean> {
    const text = `Uploaded ${randomBytes(random.below(MAX_DATA)).toString('base64')}`;
    const body = { fileName: UPLOADED, text };
    const answer = await ask(client, `/spaces/${spaceId}/documents`, { as: key, body });
    if (answer === null) return false;
    assert.equal(answer.status, 201, answer.text);
    documents.push({ thing: { id: String(answer.json['id']), text }, at: now() });
    await sleep(20);
    return uploadAndDelete(client, key, spaceId);
  }

  /** Causes a pass that overwrites deleted content. */
  async function uploadAndDelete(client: Client, key: string, spaceId: string): Promise<boolean> {
    const body = { fileName: UPLOADED, text: randomBytes(2000).toString('base64') };
    const answer = await ask(client, `/spaces/${spaceId}/documents`, { as: key, body });
    const path = `/spaces/${spaceId}/documents/${answer?.json['id']}`;
    return answer !== null && (await ask(client, path, { method: 'DELETE', as: key })) !== null;
  }

  return {
    sendUntilFailure: async (client) => {
      const { key, spaceId } = await ready(client);
      const repeat = async (act: () => Promise<boolean>) => {
        while (await act());
      };
      const senders = Array.from({ length: SENDERS }, () => repeat(() => sendEvents(client, key)));
      await Promise.all([
        ...senders,
        repeat(() => makeLink(client, key)),
        repeat(() => upload(client, key, spaceId)),
      ]);
    },
    expectedAt: (position) => ({
      assertKept: async (client) => {
        if (setup === undefined || setup.at > position) {
          // No data was acknowledged before this position, but the service must still work.
          await signIn(client);
          return;
        }
        const { key, spaceId, secret } = setup.thing;
        const before = await assertEvents(client, key, thingsBefore(events, position));
        await assertLinks(client, thingsBefore(links, position).slice(-20));
        await assertDocuments(client, key, spaceId, thingsBefore(documents, position).slice(-20));
        await assertDocumentsMatchFeed(client, key, spaceId, before, [UPLOADED]);
        await assertSignatureVerified(client, secret);
      },
    }),
    summary: () =>
      `${events.length} events, ${links.length} links, ${documents.length} documents acknowledged`,
  };
}

/** Returns null if the connection broke before the answer was complete. */
async function ask(client: Client, path: string, send: Send): Promise<ClientResponse | null> {
  try {
    return await client(path, send);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Asserts that every event is stored once and ignored when it is resent. Returns all stored events. */
async function assertEvents(
  client: Client,
  key: string,
  expected: readonly SentEvent[],
): Promise<SentEvent[]> {
  const { items, resume } = await readFeed(client, key);
  const feed = items.map(({ event }) => event);
  const ids = idsOf(feed);
  const stored = new Set(ids);
  assert.equal(stored.size, ids.length, 'an event was stored twice');
  const lost = idsOf(expected).filter((id) => !stored.has(id));
  assert.deepEqual(lost, [], `${lost.length} acknowledged events were lost`);
  const byId = new Map(feed.map((event) => [String(event['id']), event]));
  for (const event of expected) assert.deepEqual(byId.get(String(event['id'])), event);
  for (let at = 0; at < expected.length; at += RESENT_AT_ONCE) {
    const body = { events: expected.slice(at, at + RESENT_AT_ONCE) };
    const answer = await client('/events', { as: key, body });
    assert.equal(answer.json['processed'], body.events.length, answer.text);
  }
  const more = (await readFeed(client, key, resume)).items;
  assert.deepEqual(more, [], 'a resent event was stored twice');
  return feed;
}

/** Asserts that the service can still decrypt the secret of the event source. */
async function assertSignatureVerified(client: Client, secret: string): Promise<void> {
  const event = signedEvent(makeEvent({ source: SIGNED_SOURCE }), secret);
  const { status, text } = await client('/events', { body: { events: [event] } });
  assert.equal(status, 200, text);
}

async function assertLinks(client: Client, tokens: readonly string[]): Promise<void> {
  for (const linkToken of tokens) {
    const { status, text } = await client('/assistant-link/exchange', { body: { linkToken } });
    assert.equal(status, 200, text);
  }
}

async function assertDocuments(
  client: Client,
  as: string,
  spaceId: string,
  expected: readonly UploadedDocument[],
): Promise<void> {
  for (const { id, text } of expected) {
    const answer = await client(`/spaces/${spaceId}/documents/${id}/content`, { as });
    assert.deepEqual([answer.status, answer.text], [200, text]);
  }
}
