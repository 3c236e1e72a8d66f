import Type from 'typebox';
import {
  Body,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Nullable,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';

export const Scope = Type.Union([
  Type.Literal('links:write'),
  Type.Literal('events:write'),
  Type.Literal('knowledge:write'),
  Type.Literal('read'),
]);
export type Scope = Type.Static<typeof Scope>;

export const ApiKey = Type.Object({
  id: Uuid('The key.'),
  spaceId: Uuid('The space it belongs to.'),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters, to recognise it by.' }),
  scopes: Type.Array(Scope),
  expiresAt: Nullable(Timestamp('When it ends.')),
  createdAt: Timestamp('When it was made.'),
  lastUsedAt: Nullable(Timestamp('When it was last used, to the minute.')),
});
export type ApiKey = Type.Static<typeof ApiKey>;

export const NewApiKey = Body({
  name: Text({ description: 'What it is for.', minLength: 1, maxLength: 200 }),
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 4, uniqueItems: true }),
  expiresAt: Type.Optional(Nullable(Timestamp('When it ends; never when absent or null.'))),
});
export type NewApiKey = Type.Static<typeof NewApiKey>;

export const ApiKeyChange = Body({
  name: Text({ description: 'What it is for.', minLength: 1, maxLength: 200 }),
});

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
const noSuchKey = {
  message: 'There is no such API key in this space.',
  code: 'access.key-not-found',
};
const KeysParams = Type.Object({ spaceId: Uuid('The space.') });
const KeyParams = Type.Object({ spaceId: Uuid('The space.'), keyId: Uuid('The key.') });

export const createApiKey = operation({
  id: 'createApiKey',
  feature: 'access',
  method: 'POST',
  path: '/spaces/{spaceId}/api-keys',
  summary: 'Make an API key (edit rights)',
  credentials: ['session'],
  params: KeysParams,
  body: NewApiKey,
  bodyExample: { name: 'shop backend', scopes: ['links:write', 'events:write'] },
  answers: {
    201: {
      description: 'The key, shown this one time only.',
      schema: Type.Object({ ...ApiKey.properties, key: Type.String() }),
      example: { ...exampleKey, key: 'gh_4fTq…' },
    },
  },
  errors: [400, 401, 403],
});

export const listApiKeys = operation({
  id: 'listApiKeys',
  feature: 'access',
  method: 'GET',
  path: '/spaces/{spaceId}/api-keys',
  summary: 'List API keys (edit rights)',
  credentials: ['session'],
  params: KeysParams,
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Live and expired keys, oldest first.',
      schema: ListOf(ApiKey),
      example: { items: [exampleKey], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showApiKey = operation({
  id: 'showApiKey',
  feature: 'access',
  method: 'GET',
  path: '/spaces/{spaceId}/api-keys/{keyId}',
  summary: 'Show an API key (edit rights)',
  credentials: ['session'],
  params: KeyParams,
  answers: { 200: { description: 'The key.', schema: ApiKey, example: exampleKey } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchKey },
});

export const changeApiKey = operation({
  id: 'changeApiKey',
  feature: 'access',
  method: 'PATCH',
  path: '/spaces/{spaceId}/api-keys/{keyId}',
  summary: 'Rename an API key (edit rights)',
  credentials: ['session'],
  params: KeyParams,
  body: ApiKeyChange,
  bodyExample: { name: 'shop backend, blue' },
  answers: { 200: { description: 'The key.', schema: ApiKey, example: exampleKey } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchKey },
});

export const deleteApiKey = operation({
  id: 'deleteApiKey',
  feature: 'access',
  method: 'DELETE',
  path: '/spaces/{spaceId}/api-keys/{keyId}',
  summary: 'Revoke an API key at once (edit rights)',
  credentials: ['session'],
  params: KeyParams,
  answers: { 204: { description: 'The key is gone.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchKey },
});
