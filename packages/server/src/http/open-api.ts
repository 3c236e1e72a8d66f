import { type OpenApiDocument, openApi } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from './route.ts';

/** Serves the document at `/openapi.json`; it is written out once, not for each request. */
export function registerOpenApi(
  app: FastifyInstance,
  { document }: { document: OpenApiDocument },
): void {
  const text = JSON.stringify(document);
  route(app, openApi, {
    caller: anyone,
    handle: () => ({ status: 200, text, headers: { 'cache-control': 'public, max-age=60' } }),
  });
}
