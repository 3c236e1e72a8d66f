import { makeEvent } from '../../support/events/events.ts';
import { subscribingIn } from '../../support/events/subscribing.ts';
import type { Client, ClientResponse } from '../../support/http/client.ts';
import { sendDocumentEvents, untilHandled } from '../../support/knowledge/document-events.ts';
import {
  giveRole,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../../support/provision.ts';
import { until } from '../../support/until.ts';
import type { World } from './callers.ts';
import { CRAWL, type Targets } from './requests.ts';

/** Rows whose successful request cannot be repeated with the same targets. */
const CONSUMING_ROWS: ReadonlySet<string> = new Set([
  'deleteSpace',
  'deleteBot',
  'deleteMember',
  'deleteApiKey',
  'deleteEventSource',
  'createSubscription',
  'createProjection',
  'createCrawl',
  'deleteCrawl',
  'startCrawl',
  'stopCrawl',
  'deleteProjection',
  'createTool',
  'deleteTool',
  'deleteSubscription',
  'deleteDelivery',
  'revokeLink',
  'deleteDocument',
  'deleteConversation',
  'endHandoff',
  'endHandoff/editors',
  'redeemLink',
  'redeemLink/invitation',
]);

/** Text of the conversation that requests refer to. */
export const QUESTION = 'Where are the targets of this space?';

const CONVERSATION_ROWS: ReadonlySet<string> = new Set([
  'showConversation',
  'deleteConversation',
  'rateAnswer',
  'showSpaceConversation',
  'showSpaceConversation/editors',
  'showSpaceConversation/nobody',
  ...['followSpaceConversation', 'sendTeamMessage', 'endHandoff'].flatMap((name) => [
    name,
    `${name}/editors`,
    `${name}/nobody`,
  ]),
]);

/** Targets of one row's requests. */
export interface RowTargets {
  get(): Promise<Targets>;
  /** Records a successful request. The next `get` creates new targets if the request cannot be repeated. */
  succeeded(): void;
}

export function targetsOf(client: Client, world: World, row: string): RowTargets {
  let targets: Promise<Targets> | undefined;
  return {
    get: () => {
      targets ??= make(client, world, row);
      return targets;
    },
    succeeded: () => {
      if (CONSUMING_ROWS.has(row)) targets = undefined;
    },
  };
}

/** An ID that no object has. */
const NOBODY = '0199f3a2-0000-7000-8000-000000000000';

let made = 0;

/**
 * Creates the targets that a row needs in the callers' space. A row that deletes a space or a bot gets a new space or bot.
 */
async function make(client: Client, world: World, row: string): Promise<Targets> {
  const { admin, members } = world;
  const space = row === 'deleteSpace' ? await makeSpace(client, admin) : world.space;
  const botId = row === 'deleteBot' ? await makeBot(client, world) : space.botId;
  if (botId !== world.space.botId)
    for (const { userId, role } of members) await giveRole(client, admin, botId, userId, role);
  made += 1;
  await setConversationAccess(client, world, row, space.id);
  const link = await makeLink(client, admin, { spaceId: space.id });
  return {
    spaceId: space.id,
    botId,
    linkId: link.id,
    linkToken: link.token,
    keyId: await makeTargetKey(client, world, row, space.id),
    sourceId: await makeSource(client, world, row, space.id),
    ...(await subscribe(client, world, row, space.id)),
    documentId: await makeDocument(client, world, row, space.id),
    version: '1',
    crawlId: await makeCrawl(client, world, row, space.id),
    documentEventId: await makeDocumentEvent(client, world, row, space.id),
    projectionId: await makeProjection(client, world, row, space.id),
    toolId: await makeTool(client, world, row, botId),
    callId: NOBODY,
    chatId: 'target-chat',
    ...(await makeConversation(client, world, row)),
    ...(await makeAccount(client, world, row, botId)),
    ...(await makeInvitation(client, world, row, botId)),
  };
}

/** Sets who may read the conversations to the variant of the row. */
async function setConversationAccess(
  client: Client,
  { admin }: World,
  row: string,
  spaceId: string,
) {
  const [, variant] =
    /^(?:\w+SpaceConversations?|exportConversations|listQuestions|sendTeamMessage|endHandoff)(?:\/(\w+))?$/.exec(
      row,
    ) ?? [null, null];
  if (variant === null) return;
  const body = { conversationAccess: variant ?? 'owners' };
  await client(`/spaces/${spaceId}`, { method: 'PATCH', as: admin, body });
}

/** Creates a member of a bot only for rows that need a user, because hashing a password is slow. */
async function makeAccount(client: Client, { admin }: World, row: string, botId: number) {
  const none = { userId: NOBODY, sessionId: NOBODY };
  if (!/User|Member|Reset|endSession|removeSecondFactor/.test(row)) return none;
  const user = await makeUser(client, admin, `target${made}`);
  await giveRole(client, admin, botId, user.id, 'viewer');
  if (row !== 'endSession') return { ...none, userId: user.id };
  const sessions = await client('/auth/sessions', { as: await signIn(client, user) });
  const [{ id: sessionId }] = sessions.json['items'] as [{ id: string }];
  return { userId: user.id, sessionId };
}

/** Creates a one-time link for rows that need one. */
async function makeInvitation(client: Client, { admin }: World, row: string, botId: number) {
  const none = { invitationId: NOBODY, oneTimeToken: 'unknown' };
  const tokenOf = ({ json }: ClientResponse) => String(json['url']).split('=')[1] ?? '';
  if (row === 'redeemLink') {
    const user = await makeUser(client, admin, `reset${made}`);
    const path = `/users/${user.id}/reset-link`;
    return { ...none, oneTimeToken: tokenOf(await client(path, { method: 'POST', as: admin })) };
  }
  if (!/nvitation/.test(row)) return none;
  const body = { email: `invited${made}@example.com`, role: 'viewer' };
  const answer = await client(`/bots/${botId}/members`, { as: admin, body });
  return { invitationId: String(answer.json['id']), oneTimeToken: tokenOf(answer) };
}

async function makeTargetKey(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!row.includes('ApiKey')) return NOBODY;
  await makeKey(client, admin, spaceId);
  const keys = await client(`/spaces/${spaceId}/api-keys?limit=200`, { as: admin });
  return (keys.json['items'] as { id: string }[]).at(-1)?.id ?? '';
}

/** Creates an event source only for rows that need an event source, because their number per space is limited. */
async function makeSource(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!row.includes('EventSource')) return NOBODY;
  const body = { name: `target ${made}`, source: `urn:target:${made}` };
  const answer = await client(`/spaces/${spaceId}/event-sources`, { as: admin, body });
  return String(answer.json['id']);
}

/** Creates a subscription to a closed port. For delivery rows, also creates an undelivered event. */
async function subscribe(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!/Subscription|Deliver|Replay/.test(row))
    return { subscriptionId: NOBODY, deliveryId: 'msg_0_1' };
  const { ask, subscribe, deliveries } = subscribingIn(client, admin, spaceId);
  for (const old of (await ask('GET', '?limit=200')).json['items'] as { id: string }[])
    await ask('DELETE', `/${old.id}`);
  const type = `target.${made}`;
  const { id } = await subscribe({ url: 'http://127.0.0.1:9/', types: [type] });
  if (!row.includes('Deliver')) return { subscriptionId: id, deliveryId: 'msg_0_1' };
  await client(`/events?spaceId=${spaceId}`, {
    as: admin,
    body: { events: [makeEvent({ type })] },
  });
  await until('the delivery is pending', async () => (await deliveries(id)).length > 0);
  return { subscriptionId: id, deliveryId: (await deliveries(id))[0]?.id ?? '' };
}

async function makeDocument(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!/Document|Passages|explainAccess/.test(row)) return NOBODY;
  const body = { fileName: `target${made}.txt`, text: 'A target.' };
  const answer = await client(`/spaces/${spaceId}/documents`, { as: admin, body });
  const id = String(answer.json['id']);
  // Makes version 1 an earlier version.
  if (row.includes('Version'))
    await client(`/spaces/${spaceId}/documents/${id}`, {
      method: 'PATCH',
      as: admin,
      body: { title: `Target ${made}` },
    });
  return id;
}

/** Creates a projection for rows that need one, after deleting the projection of the row before. */
async function makeProjection(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!/Projection|Records/.test(row)) return NOBODY;
  const path = `/spaces/${spaceId}/projections`;
  const { json } = await client(`${path}?limit=200`, { as: admin });
  for (const { id } of json['items'] as { id: string }[])
    await client(`${path}/${id}`, { method: 'DELETE', as: admin });
  const template = { title: 'Target {key}', text: 'Target {key}.' };
  const body = { name: 'Target', types: ['a'], key: 'subject', fields: {}, metadata: {} };
  const answer = await client(path, { as: admin, body: { ...body, ...template } });
  return String(answer.json['id']);
}

/** Creates a crawl for rows that need one, after deleting the crawl of the row before. */
async function makeCrawl(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!row.includes('Crawl')) return NOBODY;
  const path = `/spaces/${spaceId}/crawls`;
  for (const { id } of (await client(path, { as: admin })).json['items'] as { id: string }[])
    await client(`${path}/${id}`, { method: 'DELETE', as: admin });
  const id = String((await client(path, { as: admin, body: CRAWL })).json['id']);
  if (row === 'startCrawl') await client(`${path}/${id}/stop`, { method: 'POST', as: admin });
  return id;
}

/** Creates a tool for rows that need one, after deleting the tool of the row before. */
async function makeTool(client: Client, { admin }: World, row: string, botId: number) {
  if (!/Tools?$/.test(row)) return NOBODY;
  const path = `/bots/${botId}/tools`;
  const { json } = await client(path, { as: admin });
  for (const { id } of json['items'] as { id: string }[])
    await client(`${path}/${id}`, { method: 'DELETE', as: admin });
  if (row === 'createTool') return NOBODY;
  const url = 'https://tools.example/lookup';
  const body = { name: 'lookup', description: 'Looks up.', url, inputSchema: { type: 'object' } };
  const answer = await client(path, { as: admin, body });
  return String(answer.json['id']);
}

/** Creates a failed document event for rows that need such an event. */
async function makeDocumentEvent(client: Client, { admin }: World, row: string, spaceId: string) {
  if (!row.includes('DocumentEvent')) return NOBODY;
  const subject = `target ${made}`;
  await sendDocumentEvents(client, admin, spaceId, [{ subject, data: {} }]);
  const event = await untilHandled(client, admin, spaceId, subject);
  return event.id;
}

/** Creates a conversation in the widget session for rows that need a conversation. */
async function makeConversation(client: Client, { admin, space, credentials }: World, row: string) {
  const isHandedOver = /^(sendTeamMessage|endHandoff)/.test(row);
  if (isHandedOver || row === 'requestHandoff') {
    const handoff = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: admin, body: handoff });
  }
  if (!CONVERSATION_ROWS.has(row)) return { conversationId: NOBODY, messageId: NOBODY };
  const messages = [{ role: 'user', parts: [{ type: 'text', text: QUESTION }] }];
  const answer = await client('/chat', { as: credentials.widg, body: { messages } });
  const [, start = '{}'] = /^data: (.*)$/m.exec(answer.text) ?? [];
  const { messageId, messageMetadata } = JSON.parse(start);
  const { conversationId } = messageMetadata;
  if (isHandedOver)
    await client('/chat/handoff', { as: credentials.widg, body: { id: conversationId } });
  return { conversationId: String(conversationId), messageId: String(messageId) };
}

async function makeBot(client: Client, { admin, space }: World): Promise<number> {
  const body = { name: 'Spare' };
  const answer = await client(`/spaces/${space.id}/bots`, { as: admin, body });
  return Number(answer.json['id']);
}
