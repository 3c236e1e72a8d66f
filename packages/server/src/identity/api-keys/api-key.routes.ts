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
import { routesOnSpace } from '../access/checked-routes.ts';
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
  const edit = routesOnSpace(app, access, EDIT);
  edit(listApiKeys, (space, { query }) =>
    apiKeys.list(space, readCursor(query.after), readLimit(query.limit)),
  );
  edit(showApiKey, (space, { params }) => apiKeys.show(space, params.keyId));
  edit(changeApiKey, (space, { params, body }) => apiKeys.rename(space, params.keyId, body.name));
  edit(deleteApiKey, (space, { params }) => apiKeys.revoke(space, params.keyId));
}
