import {
  type CreatedApiKey,
  changeApiKey,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  type Scope,
  showApiKey,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Access, UserCaller } from '../access/access.ts';
import { nameOfCaller, OF_CREDENTIAL } from '../access/replay.ts';
import { expiryIssues } from './api-key.rules.ts';
import type { ApiKeys } from './api-key.service.ts';

export interface ApiKeyRoutesDeps {
  readonly access: Access;
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
}

const created = (key: CreatedApiKey) => ({ status: 201, body: key }) as const;

/** The right has no scope, so an API key cannot manage keys. */
const EDIT = { role: 'editor' } as const;

export function registerApiKeyRoutes(app: FastifyInstance, deps: ApiKeyRoutesDeps): void {
  const { access, apiKeys, clock } = deps;
  const allowed = (caller: UserCaller, spaceId: string, scopes: readonly Scope[]) =>
    scopes.some((scope) => scope.startsWith('conversations:'))
      ? access.ownedSpace(caller, spaceId)
      : access.space(caller, spaceId, EDIT);
  route(app, createApiKey, {
    caller: access.user,
    rules: (body) => expiryIssues(body, clock()),
    replay: {
      ...OF_CREDENTIAL,
      caller: nameOfCaller,
      authorize: (caller, spaceId, _params, answer) =>
        allowed(caller, spaceId, (answer as CreatedApiKey).scopes),
    },
    handle: async ({ caller, params, body, once }) => {
      const space = await allowed(caller, params.spaceId, body.scopes);
      const stored = once.store((key: CreatedApiKey) => ({
        spaceId: space.spaceId,
        response: created(key),
      }));
      return created(await apiKeys.create(space, body, stored));
    },
  });
  route(app, listApiKeys, {
    caller: access.user,
    handle: async ({ caller, params, query }) => {
      const after = readCursor(query.after);
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await apiKeys.list(space, after, readLimit(query.limit)) };
    },
  });
  route(app, showApiKey, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await apiKeys.show(space, params.keyId) };
    },
  });
  route(app, changeApiKey, {
    caller: access.user,
    handle: async ({ caller, params, body }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await apiKeys.rename(space, params.keyId, body.name) };
    },
  });
  route(app, deleteApiKey, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      await apiKeys.revoke(space, params.keyId);
      return { status: 204 };
    },
  });
}
