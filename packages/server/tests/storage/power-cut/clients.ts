import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client, Send } from '../../support/client.ts';
import { documentEvent } from '../../support/document-events.ts';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../../support/events.ts';
import { assertInStep } from '../../support/in-step.ts';
import { makeKey, makeSpace, signIn } from '../../support/provision.ts';
import type { Seeded } from '../../support/seeded.ts';
import { registerSource, signedEvent } from '../../support/signing.ts';

/** Something that was answered 2xx, so that it must be there after a cut from now on. */
interface Acknowledged<Thing> {
  readonly thing: Thing;
  /** How far the recording had got. */
  readonly at: number;
}

interface UploadedDocument {
  readonly id: string;
  readonly text: string;
}

/** Where all of it is. */
interface Home {
  readonly spaceId: string;
  readonly key: string;
  /** Of an event source. The service keeps it encrypted, by a key in a file of its own. */
  readonly secret: string;
}

/** What the service owes its clients after a cut. */
export interface Owed {
  assertKept(client: Client): Promise<void>;
}

export interface PowerCutClients {
  /** Sends events, makes links and uploads documents until the connections break. */
  sendUntilItBreaks(client: Client): Promise<void>;
  /** What was acknowledged before a place of the recording. */
  owedAt(place: number): Owed;
  summary(): string;
}

const SENDERS = 3;
const MAX_EVENTS = 12;
const MAX_DATA = 9000;
const SUBJECTS = 12;
const UPLOADED = 'uploaded.txt';
const SIGNED_SOURCE = 'urn:test:signed';
const RESENT_AT_ONCE = 100;

/** @param now how far the recording has got. */
export function createPowerCutClients(random: Seeded, now: () => number): PowerCutClients {
  const events: Acknowledged<SentEvent>[] = [];
  const links: Acknowledged<string>[] = [];
  const documents: Acknowledged<UploadedDocument>[] = [];
  let home: Acknowledged<Home> | undefined;
  const thingsBefore = <Thing>(all: readonly Acknowledged<Thing>[], place: number) =>
    all.filter(({ at }) => at <= place).map(({ thing }) => thing);

  async function ready(client: Client) {
    if (home !== undefined) return home.thing;
    const session = await signIn(client);
    const { id: spaceId } = await makeSpace(client, session);
    const key = await makeKey(client, session, spaceId, [
      'events:write',
      'knowledge:write',
      'links:write',
      'read',
    ]);
    const { secret } = await registerSource(client, session, spaceId, { source: SIGNED_SOURCE });
    home = { thing: { spaceId, key, secret }, at: now() };
    return home.thing;
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
    return true;
  }

  return {
    sendUntilItBreaks: async (client) => {
      const { key, spaceId } = await ready(client);
      const again = async (act: () => Promise<boolean>) => {
        while (await act());
      };
      const senders = Array.from({ length: SENDERS }, () => again(() => sendEvents(client, key)));
      await Promise.all([
        ...senders,
        again(() => makeLink(client, key)),
        again(() => upload(client, key, spaceId)),
      ]);
    },
    owedAt: (place) => ({
      assertKept: async (client) => {
        if (home === undefined || home.at > place) {
          // Nothing is owed yet, but that the service can be used.
          await signIn(client);
          return;
        }
        const { key, spaceId, secret } = home.thing;
        const before = await assertEvents(client, key, thingsBefore(events, place));
        await assertLinks(client, thingsBefore(links, place).slice(-20));
        await assertDocuments(client, key, spaceId, thingsBefore(documents, place).slice(-20));
        await assertInStep(client, key, spaceId, before, [UPLOADED]);
        await assertSignatureVerified(client, secret);
      },
    }),
    summary: () =>
      `${events.length} events, ${links.length} links, ${documents.length} documents acknowledged`,
  };
}

/** Null when the connection broke before the answer was whole. */
async function ask(client: Client, path: string, send: Send): Promise<Answer | null> {
  try {
    return await client(path, send);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Each is in the feed once, and is known when it is sent again. Gives the feed. */
async function assertEvents(
  client: Client,
  key: string,
  owed: readonly SentEvent[],
): Promise<SentEvent[]> {
  const { items, resume } = await readFeed(client, key);
  const feed = items.map(({ event }) => event);
  const ids = idsOf(feed);
  const kept = new Set(ids);
  assert.equal(kept.size, ids.length, 'an event is in the feed twice');
  const lost = idsOf(owed).filter((id) => !kept.has(id));
  assert.deepEqual(lost, [], `${lost.length} acknowledged events are lost`);
  const byId = new Map(feed.map((event) => [String(event['id']), event]));
  for (const event of owed) assert.deepEqual(byId.get(String(event['id'])), event);
  for (let at = 0; at < owed.length; at += RESENT_AT_ONCE) {
    const body = { events: owed.slice(at, at + RESENT_AT_ONCE) };
    const answer = await client('/events', { as: key, body });
    assert.equal(answer.json['processed'], body.events.length, answer.text);
  }
  const more = (await readFeed(client, key, resume)).items;
  assert.deepEqual(more, [], 'an event that was sent again is stored twice');
  return feed;
}

/** A secret that was acknowledged can still be read. */
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
  owed: readonly UploadedDocument[],
): Promise<void> {
  for (const { id, text } of owed) {
    const answer = await client(`/spaces/${spaceId}/documents/${id}/content`, { as });
    assert.deepEqual([answer.status, answer.text], [200, text]);
  }
}
