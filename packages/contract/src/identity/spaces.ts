import Type from 'typebox';
import {
  Body,
  Bool,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { Budget } from './budget.ts';
import { Role } from './members.ts';

export const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  uniqueItems: true,
  description:
    'Web origins, such as `https://shop.example`, whose pages may embed the widget and exchange links. Wildcards are not supported.',
});

const RETENTION =
  'Retention of the events of the space. For a member that is `null`, the limit of the installation applies.';
const MaxAgeDays = Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
  description: 'Maximum age of stored events in days, counted from receipt.',
});
const MaxBytes = Type.Union(
  [Type.Integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()],
  {
    description:
      'Maximum size of stored events in bytes, after compression by the storage. The oldest events are removed first.',
  },
);
export const EventRetention = Type.Object(
  { maxAgeDays: MaxAgeDays, maxBytes: MaxBytes },
  { description: RETENTION },
);
export type EventRetention = Type.Static<typeof EventRetention>;
export const NewEventRetention = Body(
  { maxAgeDays: Type.Optional(MaxAgeDays), maxBytes: Type.Optional(MaxBytes) },
  { description: `${RETENTION} Omitted members are set to \`null\`.` },
);

const SpaceFilter = Nullable(
  FreeObject(
    'Filter for the documents that any link of the space may show, in the filter language. It is combined with the filters of every link by AND. `null`: no filter.',
    'PermissionFilter',
  ),
);
const RequireLinkFilter = Bool(
  '`true`: a new link needs a `permissionFilter` that does not match everything. Default `false`.',
);

export const ConversationAccess = OneOf(
  ['owners', 'editors', 'nobody'],
  'Users who may read the conversations of the space. `owners` (default): users with the role `owner` on every bot of the space. `editors`: also users with edit rights. With both, administrators and API keys with the scope `conversations:read` may read too. `nobody`: no user, no administrator and no API key.',
);
export type ConversationAccess = Type.Static<typeof ConversationAccess>;

const ConversationEvents = Bool(
  '`true`: the space reports its conversations as events `gatehouse.conversation.*`, which contain IDs and no text. Default `false`. Conversations of links with `chatHistory: false` are never reported.',
);
const SpaceBudget = Nullable(Budget);

export const Space = Type.Object({
  id: Uuid('ID of the space.'),
  name: Str('Display name.'),
  allowedOrigins: Origins,
  eventRetention: EventRetention,
  permissionFilter: SpaceFilter,
  requireLinkFilter: RequireLinkFilter,
  conversationAccess: ConversationAccess,
  conversationEvents: ConversationEvents,
  budget: SpaceBudget,
  createdAt: Timestamp('Time of creation.'),
});
export type Space = Type.Static<typeof Space>;

const SpaceName = Text({ description: 'Display name.', minLength: 1, maxLength: 200 });
export const NewSpace = Body({
  name: SpaceName,
  allowedOrigins: Type.Optional(Origins),
  eventRetention: Type.Optional(NewEventRetention),
  permissionFilter: Type.Optional(SpaceFilter),
  requireLinkFilter: Type.Optional(RequireLinkFilter),
  conversationAccess: Type.Optional(ConversationAccess),
  conversationEvents: Type.Optional(ConversationEvents),
  budget: Type.Optional(SpaceBudget),
});
export type NewSpace = Type.Static<typeof NewSpace>;
export const SpaceChange = Body({
  name: Type.Optional(SpaceName),
  allowedOrigins: Type.Optional(Origins),
  eventRetention: Type.Optional(NewEventRetention),
  permissionFilter: Type.Optional(SpaceFilter),
  requireLinkFilter: Type.Optional(RequireLinkFilter),
  conversationAccess: Type.Optional(ConversationAccess),
  conversationEvents: Type.Optional(ConversationEvents),
  budget: Type.Optional(SpaceBudget),
});
export type SpaceChange = Type.Static<typeof SpaceChange>;

export type CreatedSpace = Type.Static<typeof CreatedSpace>;
export const CreatedSpace = Type.Object({
  ...Space.properties,
  defaultBotId: Int('ID of the first bot.'),
});

const SpaceRights = Type.Object(
  {
    role: Type.Union(Role.anyOf, {
      description:
        'Highest role of the user on the bots of the space. `owner` for an administrator.',
    }),
    ownsEveryBot: Bool(
      'Reports whether the user has the role `owner` on every bot of the space. `true` for an administrator.',
    ),
    readsConversations: Bool(
      'Reports whether the user may read the conversations of the space. `conversationAccess` decides.',
    ),
  },
  {
    description:
      'Rights of the calling user on the space. `null` for an API key, whose rights are its scopes.',
  },
);
export type SpaceRights = Type.Static<typeof SpaceRights>;

/** A space with the rights of the caller. */
export const ShownSpace = Type.Object({ ...Space.properties, rights: Nullable(SpaceRights) });

export const SpaceList = ListOf(Space);

const exampleSpace = {
  id: EXAMPLE_SPACE_ID,
  name: 'Shop',
  allowedOrigins: ['https://shop.example'],
  eventRetention: { maxAgeDays: 90, maxBytes: null },
  permissionFilter: { audience: { ne: 'board' } },
  requireLinkFilter: true,
  conversationAccess: 'owners' as const,
  conversationEvents: false,
  budget: { tokensPerDay: 500_000, tokensPerMonth: 5_000_000 },
  createdAt: EXAMPLE_TIME,
};

export const createSpace = operation({
  id: 'createSpace',
  feature: 'spaces',
  method: 'POST',
  path: '/spaces',
  idempotent: true,
  summary: 'Create a space with its first bot',
  description: 'Every user may create spaces. The caller becomes the owner of the first bot.',
  credentials: ['session'],
  body: NewSpace,
  bodyExample: { name: 'Shop', allowedOrigins: ['https://shop.example'] },
  responses: {
    201: json('The created space.', CreatedSpace, { ...exampleSpace, defaultBotId: 1 }),
  },
  errors: [400, 401, 403],
});

export const listSpaces = operation({
  id: 'listSpaces',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces',
  summary: 'List spaces',
  description:
    'Returns the spaces in which the user has any role on a bot. An API key with the scope `read` sees its own space.',
  credentials: ['session', 'apiKey'],
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Spaces, oldest first.', SpaceList, [exampleSpace]),
  },
  errors: [400, 401, 403],
  errorExamples: {
    403: errorOf(
      'access.forbidden',
      'This operation requires an API key of this space with the scope `read`.',
    ),
  },
});

export const showSpace = operation({
  id: 'showSpace',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces/{spaceId}',
  summary: 'Get a space and the rights of the caller',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  responses: {
    200: json('The space.', ShownSpace, {
      ...exampleSpace,
      rights: { role: 'owner', ownsEveryBot: true, readsConversations: true },
    }),
  },
  errors: [400, 401, 403],
});

export const changeSpace = operation({
  id: 'changeSpace',
  feature: 'spaces',
  method: 'PATCH',
  path: '/spaces/{spaceId}',
  summary: 'Update a space',
  description:
    'Omitted members keep their values. A changed `permissionFilter` applies to the next request of every widget session, and ends running answers of the space.',
  permission:
    'Requires edit rights on the space. `permissionFilter`, `requireLinkFilter`, `conversationAccess`, `conversationEvents` and `budget` require the role `owner` on every bot of the space.',
  credentials: ['session'],
  params: SpaceParams,
  body: SpaceChange,
  bodyExample: { allowedOrigins: ['https://shop.example', 'https://www.shop.example'] },
  responses: { 200: { description: 'The space.', schema: Space, example: exampleSpace } },
  errors: [400, 401, 403],
});

export const deleteSpace = operation({
  id: 'deleteSpace',
  feature: 'spaces',
  method: 'DELETE',
  path: '/spaces/{spaceId}',
  summary: 'Delete a space with all its contents',
  description:
    'API keys and links of the space stop working immediately. If the caller loses the right during the deletion, it stops (401 or 403), and some of the links and conversations are already deleted.',
  permission: 'Requires the role `owner` on every bot of the space.',
  credentials: ['session'],
  params: SpaceParams,
  responses: { 204: { description: 'The space was deleted.' } },
  errors: [400, 401, 403],
});
