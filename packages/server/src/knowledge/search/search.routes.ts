import { searchPassages } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import { type KnowledgeAccess, turnOf } from './scope.ts';
import type { SearchPassages } from './search.service.ts';

export interface SearchRoutesDeps {
  readonly search: SearchPassages;
  readonly knowledgeAccess: KnowledgeAccess;
}

export function registerSearchRoutes(
  app: FastifyInstance,
  { search, knowledgeAccess }: SearchRoutesDeps,
): void {
  route(app, searchPassages, {
    caller: (request) => knowledgeAccess.caller(request),
    turnOf,
    async handle({ caller, params, body, gone }) {
      const scope = await knowledgeAccess.scope(caller, params.spaceId);
      return { status: 200, body: { items: await search(scope, body, gone()) } };
    },
  });
}
