import Type from 'typebox';
import {
  Body,
  EXAMPLE_TIME,
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

export const Scope = OneOf(
  [
    'links:write',
    'events:write',
    'knowledge:write',
    'read',
    'conversations:read',
    'conversations:write',
  ],
  '`links:write`: create and revoke links. `events:write`: send events. `knowledge:write`: change documents. `read`: read everything in the space except keys, event sources, members and conversations. `conversations:read`: read conversations. `conversations:write`: answer in conversations that were handed over. Only an owner of the space can create a key with one of the last two.',
);
export type Scope = Type.Static<typeof Scope>;

export const ApiKey = Type.Object({
  id: Uuid('ID of the key.'),
  spaceId: Uuid('ID of the space.'),
  name: Str('Purpose of the key.'),
  prefix: Str('First 7 characters of the key, for identification.'),
  scopes: Type.Array(Scope, { description: 'Scopes of the key.' }),
  expiresAt: Nullable(Timestamp('Time of expiry. `null`: the key does not expire.')),
  createdAt: Timestamp('Time of creation.'),
  lastUsedAt: Nullable(
    Timestamp('Time of the last use, rounded down to the minute. `null`: never used.'),
  ),
});
export type ApiKey = Type.Static<typeof ApiKey>;

export const NewApiKey = Body({
  name: Text({ description: 'Purpose of the key.', minLength: 1, maxLength: 200 }),
  scopes: Type.Array(Scope, {
    minItems: 1,
    maxItems: 6,
    uniqueItems: true,
    description: 'Scopes of the key. At least one.',
  }),
  expiresAt: Type.Optional(
    Nullable(Timestamp('Time of expiry. `null` or omitted: the key does not expire.')),
  ),
});
export type NewApiKey = Type.Static<typeof NewApiKey>;

export const ApiKeyChange = Body({
  name: Text({ description: 'Purpose of the key.', minLength: 1, maxLength: 200 }),
});

export const CreatedApiKey = Type.Object({
  ...ApiKey.properties,
  key: Str('The key itself: `gh_…`.'),
});
export type CreatedApiKey = Type.Static<typeof CreatedApiKey>;

export const ApiKeyList = ListOf(ApiKey);

const exampleKey: ApiKey = {
  id: '0199f3a2-7d2f-7e65-b1c4-3b8d6f9c2051',
  spaceId: '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40',
  name: 'shop backend',
  prefix: 'gh_4fTq',
  scopes: ['links:write', 'events:write'],
  expiresAt: null,
  createdAt: EXAMPLE_TIME,
  lastUsedAt: null,
};
const noSuchKey = errorOf('access.key-not-found', 'This space has no API key with this ID.');
const KeyParams = Type.Object({
  spaceId: Uuid('ID of the space.'),
  keyId: Uuid('ID of the key.'),
});

export const createApiKey = operation({
  id: 'createApiKey',
  feature: 'access',
  method: 'POST',
  path: '/spaces/{spaceId}/api-keys',
  idempotent: true,
  summary: 'Create an API key',
  permission:
    'Requires edit rights on the space. The scope `conversations:read` requires the role `owner` on every bot of the space.',
  credentials: ['session'],
  params: SpaceParams,
  body: NewApiKey,
  bodyExample: { name: 'shop backend', scopes: ['links:write', 'events:write'] },
  responses: {
    201: json('The created key. Only this response contains the key itself.', CreatedApiKey, {
      ...exampleKey,
      key: 'gh_4fTq…',
    }),
  },
  errors: [400, 401, 403],
});

export const listApiKeys = operation({
  id: 'listApiKeys',
  feature: 'access',
  method: 'GET',
  path: '/spaces/{spaceId}/api-keys',
  summary: 'List API keys',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Active and expired keys, oldest first.', ApiKeyList, [exampleKey]),
  },
  errors: [400, 401, 403],
});

export const showApiKey = operation({
  id: 'showApiKey',
  feature: 'access',
  method: 'GET',
  path: '/spaces/{spaceId}/api-keys/{keyId}',
  summary: 'Get an API key',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: KeyParams,
  responses: { 200: { description: 'The key.', schema: ApiKey, example: exampleKey } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchKey },
});

export const changeApiKey = operation({
  id: 'changeApiKey',
  feature: 'access',
  method: 'PATCH',
  path: '/spaces/{spaceId}/api-keys/{keyId}',
  summary: 'Rename an API key',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: KeyParams,
  body: ApiKeyChange,
  bodyExample: { name: 'shop backend, blue' },
  responses: { 200: { description: 'The key.', schema: ApiKey, example: exampleKey } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchKey },
});

export const deleteApiKey = operation({
  id: 'deleteApiKey',
  feature: 'access',
  method: 'DELETE',
  path: '/spaces/{spaceId}/api-keys/{keyId}',
  summary: 'Revoke an API key',
  description: 'The key stops working immediately.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: KeyParams,
  responses: { 204: { description: 'The key was revoked.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchKey },
});
