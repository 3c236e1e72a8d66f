import { searchPassages } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { SearchPassages } from './search.service.ts';
import type { Viewers } from './viewer.service.ts';

export interface SearchRoutesDeps {
  readonly search: SearchPassages;
  readonly viewers: Viewers;
}

/** `POST /spaces/{spaceId}/search` */
export function registerSearchRoutes(
  app: FastifyInstance,
  { search, viewers }: SearchRoutesDeps,
): void {
  route(app, searchPassages, {
    caller: (request) => viewers.viewer(request),
    async handle({ caller, params, body, gone }) {
      const scope = await viewers.scope(caller, params.spaceId);
      return { status: 200, body: { items: await search(scope, body, gone()) } };
    },
  });
}
