import Type, { type TString } from 'typebox';
import {
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  ListOf,
  ListQuery,
  Moment,
  Nullable,
  OneOf,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { jsonPage, operation, PERMISSIONS } from '../operation.ts';

/** All actions of the audit, with their meanings. The part before the dot is the type of the resource. */
export const AUDIT_ACTIONS = {
  'session.created': 'A user signed in. The resource is the user.',
  'session.challenged':
    'A password or one-time link was correct, and the sign-in waits for a code. The resource is the user.',
  'session.failed':
    'A sign-in failed, or its code was wrong. The resource is the user with the given address, if there is one.',
  'session.ended': 'A user signed out or ended a session.',
  'sessions.ended': 'Several sessions of a user were ended.',
  'user.created': 'A user was created.',
  'user.changed':
    'The name, password or state of a user, or whether the user is an administrator, was changed.',
  'user.linked': 'A user was linked to an identity of the OpenID provider.',
  'user.unlinked': 'A user was unlinked from the OpenID provider.',
  'password.changed': 'A user changed the own password.',
  'password.reset': 'A user set a new password with a reset link.',
  'second-factor.enabled': 'A user set up a second factor.',
  'second-factor.disabled': 'A user disabled their second factor.',
  'second-factor.removed': 'An administrator or operator removed the second factor of a user.',
  'recovery-code.used': 'A user signed in with a recovery code. The resource is the user.',
  'setup-link.created': 'A link that creates the first administrator was created.',
  'reset-link.created': 'A link to reset the password of a user was created.',
  'sign-in-link.created': 'A link that signs a user in was created.',
  'space.created': 'A space was created.',
  'space.changed': 'A space was changed.',
  'space.deleted': 'A space was deleted.',
  'bot.created': 'A bot was created.',
  'bot.changed': 'A bot was changed.',
  'bot.deleted': 'A bot was deleted.',
  'tool.created': 'A tool of a bot was created.',
  'tool.changed': 'A tool of a bot was changed.',
  'tool.deleted': 'A tool of a bot was deleted.',
  'member.changed': 'A user got a role on a bot. The resource is the user.',
  'member.removed': 'A user lost the role on a bot. The resource is the user.',
  'invitation.created': 'A person was invited to a bot.',
  'invitation.withdrawn': 'An invitation was withdrawn.',
  'invitation.accepted': 'An invitation was accepted.',
  'api-key.created': 'An API key was created.',
  'api-key.changed': 'An API key was renamed.',
  'api-key.deleted': 'An API key was revoked.',
  'link.created': 'An access link was created.',
  'link.opened': 'An access link was exchanged for the first time.',
  'link.revoked': 'An access link was revoked.',
  'links.revoked': 'All access links of a person were revoked.',
  'person.erased':
    'The data of a person was erased. `sub` is the keyed hash that replaces the `sub` in the audit.',
  'document.created': 'A document was uploaded.',
  'document.replaced': 'A document with a key was replaced.',
  'document.restored': 'An earlier version of a document was restored.',
  'document.changed': 'Properties of a document were changed.',
  'document.deleted': 'A document was deleted.',
  'documents.changed': 'The metadata of several documents was changed.',
  'projection.created': 'A projection was created.',
  'projection.changed': 'A projection was changed.',
  'projection.rebuilt': 'A rebuild of a projection was started.',
  'projection.deleted': 'A projection was deleted.',
  'crawl.created': 'A crawl was created.',
  'crawl.changed': 'A crawl was changed.',
  'crawl.started': 'A run of a crawl was started.',
  'crawl.stopped': 'The run of a crawl was stopped.',
  'crawl.deleted': 'A crawl was deleted with its documents.',
  'conversations.listed': 'Conversations were listed. `sub` is the requested person.',
  'conversation.read': 'A conversation was read. `sub` is the person who asked.',
  'conversation.answered': 'A person answered in a conversation. `sub` is the person who asked.',
  'conversation.handoff-ended':
    'A member of the team returned a conversation to the assistant. `sub` is the person who asked.',
  'conversations.exported': 'Conversations were exported. `sub` is the requested person.',
  'questions.listed': 'Unanswered or disliked questions were listed.',
  'event-source.created': 'An event source was registered.',
  'event-source.changed': 'An event source was changed.',
  'event-source.secret-rotated': 'The secret of an event source was replaced.',
  'event-source.deleted': 'An event source was deleted.',
  'subscription.created': 'A subscription was created.',
  'subscription.changed': 'A subscription was changed.',
  'subscription.secret-rotated': 'The secret of a subscription was replaced.',
  'subscription.deleted': 'A subscription was deleted.',
  'deliveries.resent': 'One or all parked deliveries of a subscription were resent.',
  'deliveries.replayed': 'Events were sent again to a subscription.',
  'replay.cancelled': 'A replay was cancelled. The resource is the subscription.',
  'delivery.deleted': 'A delivery was deleted. The resource is the subscription.',
  'backup.created': 'An operator completed a backup of the data directory.',
  'settings.changed':
    'The service was started with other settings than before. The actor is the operator.',
  'signing-key.rotated': 'The key that signs widget sessions was replaced.',
  'secret.replaced': 'The secret of the installation was replaced.',
} as const;
/** Prefix of the types of audit events. Only Gatehouse sends events with such a type. */
export const AUDIT_EVENT_PREFIX = 'gatehouse.audit.';

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const AuditActor = Type.Object({
  type: OneOf(
    ['user', 'api-key', 'link', 'operator', 'anonymous'],
    '`link`: a person who opened a link. `operator`: a command on the server. `anonymous`: a request without a valid credential.',
  ),
  id: Nullable(Str('ID of the user, key or link.')),
  session: Nullable(Uuid('ID of the session with which a user sent the request.')),
});

export const AuditEntry = Type.Object({
  id: Uuid('ID of the entry.'),
  at: Timestamp('Time of the action.'),
  action: Type.String({
    description: `Action:\n\n${Object.entries(AUDIT_ACTIONS)
      .map(([action, meaning]) => `- \`${action}\`: ${meaning}`)
      .join('\n')}`,
  }),
  actor: AuditActor,
  resource: Type.Object({
    type: Str('Type of the resource, such as `link`.'),
    id: Nullable(Str('ID of the resource. `null`: several resources, or the installation.')),
  }),
  spaceId: Nullable(Uuid('ID of the space of the resource. `null`: the installation.')),
  address: Nullable(Str('IP address of the client.')),
  sub: Nullable(Str('The `sub` of the link, or a keyed hash after the erasure of the person.')),
  details: Nullable(
    FreeObject(
      'Further facts, such as the names of changed members, a role or a count. Never a secret or a text.',
    ),
  ),
});
export type AuditEntry = Type.Static<typeof AuditEntry>;

export const AuditList = ListOf(AuditEntry);

const exampleEntry: AuditEntry = {
  id: '0199f3a2-8e31-7c44-b0a5-1f2e3d4c5b6a',
  at: EXAMPLE_TIME,
  action: 'link.created',
  actor: { type: 'api-key', id: '0199f3a2-7d2f-7e65-b1c4-3b8d6f9c2051', session: null },
  resource: { type: 'link', id: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2' },
  spaceId: EXAMPLE_SPACE_ID,
  address: '203.0.113.7',
  sub: 'customer-42',
  details: { hasPermissionFilter: true },
};

/** Creates the schema of a filter by an exact value. */
const Exactly = (description: string): TString =>
  Text({ minLength: 1, maxLength: 200, description: `${description} Exact match.` });

const AuditFilters = {
  spaceId: Type.Optional(
    Uuid('ID of a space. Required for owners. Omitted: all spaces and the installation.'),
  ),
  actor: Type.Optional(Exactly('ID of the user, API key or link that acted.')),
  action: Type.Optional(Exactly('Action, such as `link.created`.')),
  resource: Type.Optional(Exactly('ID of the resource.')),
  from: Type.Optional(Moment('Earliest time of the action, inclusive.')),
  to: Type.Optional(Moment('Latest time of the action, exclusive.')),
};

const PARAMS_EXAMPLE = {
  actor: '0199f3a2-7d2f-7e65-b1c4-3b8d6f9c2051',
  action: 'link.created',
  resource: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
};

const DESCRIPTION =
  'The audit records sign-ins and changes of users, spaces, bots, members, API keys, links, documents, event sources, subscriptions and deliveries, and reads of conversations. Entries are never changed, except that the erasure of a person replaces the `sub`. They contain no secret, no text of a document and no text of a conversation.';

export const listAudit = operation({
  id: 'listAudit',
  feature: 'access',
  method: 'GET',
  path: '/audit',
  summary: 'List audit entries',
  description: DESCRIPTION,
  permission: PERMISSIONS.audit,
  credentials: ['session'],
  query: Type.Object({ ...AuditFilters, ...ListQuery }),
  paramsExample: PARAMS_EXAMPLE,
  responses: {
    200: jsonPage('Audit entries, newest first.', AuditList, [exampleEntry]),
  },
  errors: [400, 401, 403],
});

export const exportAudit = operation({
  id: 'exportAudit',
  feature: 'access',
  method: 'GET',
  path: '/audit/export',
  summary: 'Export audit entries',
  description:
    'Streams all matching entries, newest first. In CSV, cells that a spreadsheet would evaluate as a formula start with an apostrophe.',
  permission: PERMISSIONS.audit,
  credentials: ['session'],
  query: Type.Object({
    ...AuditFilters,
    format: OneOf(
      ['jsonl', 'csv'],
      '`jsonl`: one JSON object per line. `csv`: a header line and one line per entry.',
    ),
  }),
  paramsExample: { ...PARAMS_EXAMPLE, format: 'jsonl' },
  responses: {
    200: {
      description: 'The entries.',
      mediaType: 'application/jsonl',
      otherMediaTypes: ['text/csv'],
      example: `${JSON.stringify(exampleEntry)}\n`,
    },
  },
  errors: [400, 401, 403],
});
