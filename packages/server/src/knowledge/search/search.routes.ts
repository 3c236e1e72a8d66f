import { searchPassages } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { ConfirmedRight, route } from '../../http/index.ts';
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
    async handle({ caller, params, body, request, gone }) {
      const scope = await knowledgeAccess.scope(caller, params.spaceId);
      const right = new ConfirmedRight();
      const items = withSnippets(body.query, await search(scope, body, gone()));
      // A search can wait for the model, or for other searches.
      await right.renew(() => knowledgeAccess.currentScope(request, caller, params.spaceId));
      return { status: 200, body: { items } };
    },
  });
}
