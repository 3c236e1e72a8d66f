import { searchPassages } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Readers } from './reader.service.ts';
import type { SearchPassages } from './search.service.ts';

export interface SearchRoutesDeps {
  readonly search: SearchPassages;
  readonly readers: Readers;
}

/** `POST /spaces/{spaceId}/search` */
export function registerSearchRoutes(
  app: FastifyInstance,
  { search, readers }: SearchRoutesDeps,
): void {
  route(app, searchPassages, {
    caller: (request) => readers.reader(request),
    async handle({ caller, params, body, gone }) {
      const scope = await readers.scope(caller, params.spaceId);
      return { status: 200, body: { items: await search(scope, body, gone()) } };
    },
  });
}
