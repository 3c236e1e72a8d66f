import { type OpenApiDocument, openApi as openApiOperation } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../route.ts';

/** What the service says of itself; asked at the first request, when its address is known. */
export interface DescribedBy {
  readonly openApi: () => OpenApiDocument;
}

/** Serves the document at `/openapi.json`; it is written out once, not for each request. */
export function registerOpenApi(app: FastifyInstance, { openApi }: DescribedBy): void {
  let text: string | undefined;
  route(app, openApiOperation, {
    caller: anyone,
    handle: () => {
      text ??= JSON.stringify(openApi());
      return { status: 200, text, headers: { 'cache-control': 'public, max-age=60' } };
    },
  });
}
