import { type OpenApiDocument, openApi as openApiOperation } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../route.ts';

export interface DescribedBy {
  /** Returns the OpenAPI document. Called at the first request, when the address of the service is known. */
  readonly openApi: () => OpenApiDocument;
}

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
