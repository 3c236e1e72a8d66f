import { searchPassages } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { CallerSemaphores } from '../../lib/threads/index.ts';
import { type KnowledgeAccess, ownerOf } from './scope.ts';
import { type SearchPassages, searchIssues, withSnippets } from './search.service.ts';

export interface SearchRoutesDeps {
  readonly search: SearchPassages;
  readonly knowledgeAccess: KnowledgeAccess;
  readonly semaphores: CallerSemaphores;
}

export function registerSearchRoutes(
  app: FastifyInstance,
  { search, knowledgeAccess, semaphores }: SearchRoutesDeps,
): void {
  route(app, searchPassages, {
    caller: (request) => knowledgeAccess.caller(request),
    scheduling: { ownerOf, semaphores },
    handlerRules: searchIssues,
    async handle({ caller, params, body, gone }) {
      const scope = await knowledgeAccess.scope(caller, params.spaceId);
      const items = withSnippets(body.query, await search(scope, body, gone()));
      return { status: 200, body: { items } };
    },
  });
}
