import { operations } from '../operations.ts';
import type { OpenApiDocument, OpenApiMethod, PathItem, SecurityScheme } from './document.ts';
import { operationObject } from './operation-object.ts';
import { componentSchemas } from './schemas.ts';
import { tagsOf } from './tags.ts';

/**
 * The OpenAPI 3.1 document of every operation of the contract.
 *
 * @param service `baseUrl`: where clients reach the service, without a trailing slash; `version`:
 *   the release that answers.
 */
export function openApiDocument(service: { baseUrl: string; version: string }): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version: service.version,
      summary: 'Access links for an embedded AI assistant, and the events that feed it.',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: service.baseUrl }],
    tags: tagsOf(operations.map((operation) => operation.feature)),
    paths: paths(),
    components: {
      schemas: componentSchemas(),
      headers: {
        'X-Request-Id': {
          description: 'Finds the request in the log.',
          schema: { type: 'string' },
        },
      },
      securitySchemes,
    },
  };
}

/** `components.securitySchemes`. */
const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a signed-in user, from `POST /auth/sign-in/email`.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'gh_…',
    description:
      'A key of one space with scopes, for programs: `Authorization: Bearer gh_…`. Made by `POST /spaces/{spaceId}/api-keys`, shown once.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The same API key in a header of its own: `X-API-Key: gh_…`.',
  },
  widgetSession: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token that `POST /assistant-link/exchange` gives for a link. Lives 15 minutes.',
  },
};

const ABOUT = [
  'JSON in UTF-8, camelCase members, times in RFC 3339 and UTC; `exp` is Unix seconds.',
  'A list takes `limit` and `after` and answers `items` and `next`, the cursor of the next page or null.',
  'Every answer that is not 2xx has `message`, a stable `code` and, where several things may be wrong at once, `issues`, of which each begins with the path of its member.',
].join('\n\n');

function paths(): Record<string, PathItem> {
  const byPath: Record<string, PathItem> = {};
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as OpenApiMethod;
    byPath[operation.path] = { ...byPath[operation.path], [method]: operationObject(operation) };
  }
  return byPath;
}
