/** Requests that mix IDs of two spaces. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import type { ClientResponse } from '../support/http/client.ts';
import { sendDocumentEvents, untilHandled } from '../support/knowledge/document-events.ts';
import { giveRole, makeKey, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';
import { ALL_SCOPES } from './authorization/callers.ts';
import { readMatrix } from './authorization/matrix.ts';
import {
  CRAWL,
  missing,
  PROJECTION,
  requestOf,
  type Targets,
  TOOL,
} from './authorization/requests.ts';

const { client, service } = await serviceOfThisFile({
  env: { ...ALLOW_RECEIVERS, GATEHOUSE_RATE_LIMIT_CHAT: '0', GATEHOUSE_RATE_LIMIT_SIGN_IN: '0' },
});
const admin = await signIn(client);

async function post(path: string, body: unknown, as = admin): Promise<string> {
  const answer = await client(path, { as, body });
  assert.ok(answer.status < 300, answer.text);
  return String(answer.json['id']);
}

/** Creates a space with one object of each kind, whose names and texts contain `word`. */
async function populate(word: string) {
  const { id: spaceId, botId } = await makeSpace(client, admin, { name: word });
  const path = `/spaces/${spaceId}`;
  const bot = { conversationAccess: 'owners' };
  await client(path, { method: 'PATCH', as: admin, body: bot });
  await client(`/bots/${botId}`, { method: 'PATCH', as: admin, body: { handoff: {} } });
  const owner = await makeUser(client, admin, `${word}-owner`);
  const member = await makeUser(client, admin, `${word}-member`);
  await giveRole(client, admin, botId, owner.id, 'owner');
  await giveRole(client, admin, botId, member.id, 'viewer');
  const [ownerSession, key] = [
    await signIn(client, owner),
    await makeKey(client, admin, spaceId, ALL_SCOPES),
  ];
  const keys = await client(`${path}/api-keys`, { as: admin });
  const [{ id: keyId }] = keys.json['items'] as [{ id: string }];
  await signIn(client, member);
  const sessions = await client(`/users/${member.id}/sessions`, { as: admin });
  const [{ id: sessionId }] = sessions.json['items'] as [{ id: string }];
  const { as: widget, linkId, linkToken } = await openLink(client, admin, { spaceId, sub: word });
  const documentId = await post(`${path}/documents`, { fileName: `${word}.txt`, text: word });
  const title = { title: `${word} again` };
  await client(`${path}/documents/${documentId}`, { method: 'PATCH', as: admin, body: title });
  const chat = new Chat(service.url, widget, `${word}-chat`);
  const { id: messageId, metadata } = await chat.ask(word);
  const conversationId = String(metadata?.conversationId);
  await post('/chat/handoff', { id: chat.id }, widget);
  const { subscribe, deliveries } = subscribingIn(client, admin, spaceId);
  const subscription = await subscribe({ url: `http://127.0.0.1:9/${word}`, types: ['target'] });
  await sendDocumentEvents(client, admin, spaceId, [{ subject: word, data: {} }]);
  await post(`/events?spaceId=${spaceId}`, { events: [makeEvent({ type: 'target', data: word })] });
  await until(
    'the delivery is pending',
    async () => (await deliveries(subscription.id)).length > 0,
  );
  const targets: Targets = {
    ...{ spaceId, botId, linkId, linkToken, keyId, documentId, conversationId, sessionId },
    chatId: chat.id,
    messageId,
    version: '1',
    userId: member.id,
    subscriptionId: subscription.id,
    deliveryId: (await deliveries(subscription.id))[0]?.id ?? '',
    sourceId: await post(`${path}/event-sources`, { name: word, source: `urn:${word}` }),
    crawlId: await post(`${path}/crawls`, { ...CRAWL, name: word }),
    documentEventId: (await untilHandled(client, admin, spaceId, word)).id,
    projectionId: await post(`${path}/projections`, { ...PROJECTION, name: word }),
    toolId: await post(`/bots/${botId}/tools`, { ...TOOL, title: word }),
    callId: randomUUID(),
    invitationId: await post(`/bots/${botId}/members`, {
      email: `${word}@x.example`,
      role: 'viewer',
    }),
    oneTimeToken: 'unknown',
  };
  return { targets, credentials: { owner: ownerSession, key, widget } };
}

const WORD = 'alphaword';
const alpha = await populate(WORD);
const beta = await populate('betaword');
const nothing = { ...missing(beta.targets), linkId: randomUUID(), linkToken: 'unknown' };

const NAMES = Object.keys(alpha.targets) as (keyof Targets)[];

/** Names of targets that belong to no space, and the token of a link, which is a credential. */
const OF_NO_SPACE: ReadonlySet<string> = new Set(['userId', 'sessionId', 'linkToken', 'version']);

/** Returns the names of the targets of a space in a row's request. */
function namesIn(row: string): (keyof Targets)[] {
  const marked = Object.fromEntries(NAMES.map((name) => [name, `<${name}>`])) as unknown as Targets;
  const text = JSON.stringify(requestOf(row, marked));
  return NAMES.filter((name) => text.includes(`<${name}>`) && !OF_NO_SPACE.has(name));
}

/** Returns all subsets of names that contain at least one name. */
function subsets(names: readonly (keyof Targets)[]): (keyof Targets)[][] {
  return Array.from({ length: 2 ** names.length - 1 }, (_, index) =>
    names.filter((_name, bit) => ((index + 1) >> bit) & 1),
  );
}

function withNames(names: readonly (keyof Targets)[], from: Targets): Targets {
  return { ...beta.targets, ...Object.fromEntries(names.map((name) => [name, from[name]])) };
}

/** Returns a response without the text of a success, which contains IDs. */
const outcomeOf = ({ status, text }: ClientResponse) => `${status} ${status < 300 ? '' : text}`;
const entries = async () =>
  (await client(`/audit?spaceId=${alpha.targets.spaceId}&limit=200`, { as: admin })).text;

for (const { name: row } of readMatrix()) {
  const names = namesIn(row);
  if (names.length === 0) continue;
  test(`${row} with IDs of another space finds and changes nothing of it`, async () => {
    const before = await entries();
    const wrong: string[] = [];
    for (const [caller, as] of Object.entries({ admin, ...beta.credentials }))
      for (const swapped of subsets(names)) {
        if (caller === 'admin' && swapped.length === names.length) continue;
        const { path, ...request } = requestOf(row, withNames(swapped, alpha.targets));
        const answer = await client(path, { ...request, as, untilFirst: true });
        const control = requestOf(row, withNames(swapped, nothing));
        const expected = await client(control.path, { ...control, as, untilFirst: true });
        const what = `${caller}, ${swapped.join('+')} swapped`;
        if (answer.text.includes(WORD)) wrong.push(`${what}: ${answer.text}`);
        if (caller === 'admin' && answer.status >= 400 && expected.status >= 400) continue;
        if (outcomeOf(answer) !== outcomeOf(expected))
          wrong.push(`${what}: ${outcomeOf(answer)} instead of ${outcomeOf(expected)}`);
      }
    assert.deepEqual(wrong, []);
    assert.equal(await entries(), before);
  });
}
