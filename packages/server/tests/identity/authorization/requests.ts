import { randomUUID } from 'node:crypto';
import { type Operation, operations } from '@gatehouse/contract';
import type { Send } from '../../support/http/client.ts';
import { ADMIN } from '../../support/services/service.ts';

/** IDs of the objects that a request refers to. */
export interface Targets {
  readonly spaceId: string;
  readonly botId: number;
  readonly linkId: string;
  readonly linkToken: string;
  readonly keyId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  readonly deliveryId: string;
  readonly documentId: string;
  readonly crawlId: string;
  readonly documentEventId: string;
  readonly version: string;
  readonly projectionId: string;
  readonly toolId: string;
  /** ID of a tool call. No call waits for a decision. */
  readonly callId: string;
  readonly chatId: string;
  readonly conversationId: string;
  readonly messageId: string;
  readonly userId: string;
  /** A session of the user `userId`. */
  readonly sessionId: string;
  readonly invitationId: string;
  /** Token of a one-time link. */
  readonly oneTimeToken: string;
}

export interface Request extends Send {
  readonly path: string;
}

type RequestBuilder = (
  targets: Targets,
) => Pick<Send, 'body' | 'headers'> & { readonly query?: string };

const nothing: RequestBuilder = () => ({});
const teamMessage: RequestBuilder = () => ({ body: { text: 'Hello', author: 'Grace' } });
const inSpace: RequestBuilder = ({ spaceId }) => ({ query: `spaceId=${spaceId}` });
const event = () => ({
  specversion: '1.0',
  id: randomUUID(),
  source: 'https://shop.example/orders',
  type: 'example.order.paid',
});

export const PROJECTION = {
  name: 'Order',
  types: ['never.sent'],
  key: 'subject',
  fields: {},
  title: 'Order {key}',
  text: 'Order {key}.',
  metadata: {},
};

/** The port is closed, so every run fails. */
export const CRAWL = { name: 'Site', startUrl: 'http://127.0.0.1:9/', defaultMetadata: {} };

export const TOOL = {
  name: 'lookup',
  description: 'Looks something up.',
  url: 'https://tools.example/lookup',
  inputSchema: { type: 'object' },
};

/** Query and body of each row's request. */
const REQUEST_BUILDERS: Readonly<Record<string, RequestBuilder>> = {
  createLink: ({ spaceId }) => ({ body: { spaceId } }),
  'createLink/bot': ({ botId }) => ({ body: { botId } }),
  listLinks: inSpace,
  showLink: nothing,
  revokeLink: nothing,
  revokeLinks: ({ spaceId }) => ({ query: `spaceId=${spaceId}&sub=nobody` }),
  exchangeLink: ({ linkToken }) => ({ body: { linkToken } }),
  ingestEvents: (targets) => ({ ...inSpace(targets), body: { events: [event()] } }),
  listEvents: inSpace,
  streamEvents: inSpace,
  showEventStats: nothing,
  searchPassages: () => ({ body: { query: 'target' } }),
  createDocument: () => ({ body: { fileName: `${randomUUID()}.txt`, text: 'A target.' } }),
  createAnswer: () => ({
    body: { question: 'What is a target?', answer: 'An aim.', metadata: {} },
  }),
  putDocument: () => ({ body: { fileName: 'target.txt', text: 'A target.' } }),
  listDocuments: nothing,
  showDocument: nothing,
  downloadDocument: nothing,
  listPassages: nothing,
  changeDocument: () => ({ body: { metadata: { changed: true } } }),
  changeDocuments: ({ documentId }) => ({
    body: { ids: [documentId], metadata: { changed: true } },
  }),
  retryDocument: nothing,
  deleteDocument: nothing,
  listDocumentVersions: nothing,
  downloadDocumentVersion: nothing,
  restoreDocumentVersion: () => ({ body: { properties: 'version' } }),
  createCrawl: () => ({ body: CRAWL }),
  listCrawls: nothing,
  showCrawl: nothing,
  changeCrawl: () => ({ body: { name: 'Pages' } }),
  deleteCrawl: nothing,
  startCrawl: nothing,
  stopCrawl: nothing,
  listCrawlPages: nothing,
  listDocumentEvents: nothing,
  showDocumentEvent: nothing,
  retryDocumentEvent: nothing,
  retryDocumentEvents: nothing,
  createProjection: () => ({ body: PROJECTION }),
  listProjections: nothing,
  tryProjection: () => ({ body: PROJECTION }),
  showProjection: nothing,
  // A change that changes nothing has no entry in the audit.
  changeProjection: () => ({ body: { name: randomUUID() } }),
  rebuildProjection: nothing,
  deleteProjection: nothing,
  listRecords: nothing,
  previewAccess: () => ({ body: { permissionFilter: {} } }),
  'previewAccess/link': ({ linkId }) => ({ body: { linkId } }),
  explainAccess: ({ documentId }) => ({ body: { permissionFilter: {}, documentId } }),
  askPreview: () => ({ body: { permissionFilter: {}, question: 'What is a target?' } }),
  listDocumentLinks: nothing,
  listMetadataFields: nothing,
  askAssistant: () => ({
    body: { messages: [{ role: 'user', parts: [{ type: 'text', text: 'What is a target?' }] }] },
  }),
  listConversations: nothing,
  resumeAnswer: nothing,
  stopAnswer: nothing,
  showConversation: nothing,
  deleteConversation: nothing,
  callMcp: () => ({
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  }),
  rateAnswer: () => ({ body: { rating: 'up' } }),
  returnToolResult: () => ({ body: { outcome: 'succeeded', text: '' } }),
  addAttachment: () => ({
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    body: '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText.\r\n--edge--\r\n',
  }),
  removeAttachment: nothing,
  decideToolCall: () => ({ body: { decision: 'allow' } }),
  requestHandoff: ({ chatId }) => ({ body: { id: chatId } }),
  followHandoff: nothing,
  leaveHandoff: nothing,
  listSpaceConversations: nothing,
  'listSpaceConversations/editors': nothing,
  'listSpaceConversations/nobody': nothing,
  showSpaceConversation: nothing,
  'showSpaceConversation/editors': nothing,
  'showSpaceConversation/nobody': nothing,
  exportConversations: () => ({ query: 'format=csv' }),
  'exportConversations/editors': () => ({ query: 'format=jsonl' }),
  'exportConversations/nobody': () => ({ query: 'format=jsonl' }),
  followSpaceConversation: nothing,
  sendTeamMessage: teamMessage,
  endHandoff: nothing,
  'followSpaceConversation/editors': nothing,
  'followSpaceConversation/nobody': nothing,
  'sendTeamMessage/editors': teamMessage,
  'sendTeamMessage/nobody': teamMessage,
  'endHandoff/editors': nothing,
  'endHandoff/nobody': nothing,
  listQuestions: () => ({ query: 'state=unanswered' }),
  'listQuestions/editors': () => ({ query: 'state=disliked' }),
  'listQuestions/nobody': () => ({ query: 'state=unanswered' }),
  createSpace: () => ({ body: { name: 'Another' } }),
  listSpaces: nothing,
  showSpace: nothing,
  changeSpace: () => ({ body: { name: 'Renamed' } }),
  'changeSpace/filter': () => ({ body: { permissionFilter: null, requireLinkFilter: false } }),
  'changeSpace/budget': () => ({ body: { budget: null } }),
  'changeSpace/conversationAccess': () => ({ body: { conversationAccess: 'owners' } }),
  deleteSpace: nothing,
  createBot: () => ({ body: { name: 'Another' } }),
  listBots: nothing,
  showBot: nothing,
  changeBot: () => ({ body: { greeting: 'Hello' } }),
  deleteBot: nothing,
  createTool: () => ({ body: TOOL }),
  listTools: nothing,
  showTool: nothing,
  changeTool: () => ({ body: { title: 'Look up' } }),
  deleteTool: nothing,
  listMembers: nothing,
  showMember: nothing,
  putMember: () => ({ body: { role: 'viewer' } }),
  deleteMember: nothing,
  createInvitation: () => ({ body: { email: `${randomUUID()}@example.com`, role: 'viewer' } }),
  listInvitations: nothing,
  deleteInvitation: nothing,
  createApiKey: () => ({ body: { name: 'another', scopes: ['read'] } }),
  'createApiKey/conversations': () => ({
    body: { name: 'another', scopes: ['conversations:read'] },
  }),
  listApiKeys: nothing,
  showApiKey: nothing,
  changeApiKey: () => ({ body: { name: 'renamed' } }),
  deleteApiKey: nothing,
  createEventSource: () => ({ body: { name: 'another', source: `urn:another:${randomUUID()}` } }),
  listEventSources: nothing,
  showEventSource: nothing,
  changeEventSource: () => ({ body: { name: 'renamed' } }),
  rotateEventSourceSecret: () => ({ body: {} }),
  deleteEventSource: nothing,
  createSubscription: () => ({ body: { url: 'https://hooks.example/', types: ['never.sent'] } }),
  listSubscriptions: nothing,
  showSubscription: nothing,
  changeSubscription: () => ({ body: { types: ['never.sent'] } }),
  rotateSubscriptionSecret: () => ({ body: {} }),
  testSubscription: nothing,
  deleteSubscription: nothing,
  listDeliveries: nothing,
  showDelivery: nothing,
  resendDelivery: nothing,
  resendDeliveries: nothing,
  deleteDelivery: nothing,
  startReplay: () => ({ body: { from: '2026-01-01T00:00:00Z' } }),
  cancelReplay: nothing,
  listRejectedEvents: nothing,
  signIn: () => ({ body: ADMIN }),
  createConsoleSession: () => ({ body: ADMIN, headers: { origin: 'https://gate.example' } }),
  endConsoleSession: () => ({ headers: { origin: 'https://gate.example' } }),
  signInWithCode: () => ({ body: { challenge: 'unknown', code: '123456' } }),
  signOut: nothing,
  showSession: nothing,
  listSignInMethods: nothing,
  startSingleSignOn: nothing,
  finishSingleSignOn: nothing,
  redeemSingleSignOn: () => ({ body: { code: 'unknown' } }),
  endProviderSession: nothing,
  listSessions: nothing,
  endSession: nothing,
  endOtherSessions: nothing,
  redeemLink: ({ oneTimeToken }) => ({
    body: { token: oneTimeToken, password: 'a long password' },
  }),
  'redeemLink/invitation': ({ oneTimeToken }) => ({
    body: { token: oneTimeToken, name: 'New', password: 'a long password' },
  }),
  changePassword: () => ({
    body: { currentPassword: ADMIN.password, newPassword: 'another long password' },
  }),
  showSecondFactor: nothing,
  startSecondFactor: () => ({ body: { password: ADMIN.password } }),
  confirmSecondFactor: () => ({ body: { code: '123456' } }),
  disableSecondFactor: () => ({ body: { password: ADMIN.password, code: '000000' } }),
  removeSecondFactor: nothing,
  createResetLink: nothing,
  listUserSessions: nothing,
  endUserSessions: nothing,
  showUsage: nothing,
  eraseSubject: nothing,
  listAudit: inSpace,
  'listAudit/installation': nothing,
  exportAudit: ({ spaceId }) => ({ query: `spaceId=${spaceId}&format=csv` }),
  createUser: () => ({
    body: { email: `${randomUUID()}@example.com`, name: 'New', password: 'a long password' },
  }),
  listUsers: nothing,
  showInstallation: nothing,
  showUser: nothing,
  changeUser: () => ({ body: { name: 'Renamed' } }),
  unlinkUser: nothing,
  health: nothing,
  readiness: nothing,
  metrics: nothing,
  home: nothing,
  openApi: nothing,
  openDocumentation: nothing,
  documentation: nothing,
  documentationPage: nothing,
  documentationFile: nothing,
  reference: nothing,
  referenceScript: nothing,
  showKeySet: nothing,
  consolePage: nothing,
  consoleAsset: nothing,
  widgetPage: nothing,
  widgetAsset: nothing,
  widgetLoader: nothing,
  widgetOpening: nothing,
};

/** Returns a valid request for a row. The response status depends only on the caller. */
export function requestOf(row: string, targets: Targets): Request {
  const build = REQUEST_BUILDERS[row];
  if (build === undefined) throw new Error(`no request for the row ${row}`);
  const { method, path } = operationOf(row);
  const { query, body, headers } = build(targets);
  const values: Readonly<Record<string, unknown>> = {
    ...targets,
    token: targets.linkToken,
    key: randomUUID(),
    attachmentId: randomUUID(),
    sub: 'nobody',
  };
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name]));
  return {
    path: query === undefined ? filled : `${filled}?${query}`,
    method,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
    ...(row === 'streamEvents' ? { untilFirst: true } : {}),
  };
}

function operationOf(row: string): Operation {
  const [id] = row.split('/', 1);
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no operation for the row ${row}`);
  return found;
}

/** Returns targets that do not exist. The link is an exception, because a 403 may reveal that a link exists. */
export function missing({ linkId, linkToken }: Targets): Targets {
  const nobody = '0199f3a2-0000-7000-8000-000000000000';
  return {
    spaceId: nobody,
    botId: 987_654_321,
    keyId: nobody,
    sourceId: nobody,
    subscriptionId: nobody,
    deliveryId: `msg_${nobody.replaceAll('-', '')}_1`,
    documentId: nobody,
    crawlId: nobody,
    documentEventId: nobody,
    version: '1',
    projectionId: nobody,
    toolId: nobody,
    callId: nobody,
    chatId: 'unknown',
    conversationId: nobody,
    messageId: nobody,
    userId: nobody,
    sessionId: nobody,
    invitationId: nobody,
    oneTimeToken: 'unknown',
    linkId,
    linkToken,
  };
}
