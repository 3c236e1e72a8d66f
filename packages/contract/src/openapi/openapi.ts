import { operations } from '../operations.ts';
import type { OpenApiDocument, OpenApiMethod, PathItem, SecurityScheme } from './document.ts';
import { errorResponses } from './error-responses.ts';
import { NO_CONTENT_RESPONSE, operationObject } from './operation-object.ts';
import { sharedParameters } from './parameters.ts';
import { componentSchemas } from './schemas.ts';
import { tagsOf } from './tags.ts';

/**
 * Returns the OpenAPI 3.1 document of all operations.
 *
 * @param service `baseUrl` has no trailing slash; `version` is the version of the running release.
 */
export function openApiDocument(service: { baseUrl: string; version: string }): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version: service.version,
      summary: 'Access links to an embedded AI assistant, and durable ingestion of CloudEvents.',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: service.baseUrl }],
    tags: tagsOf(operations.map((operation) => operation.feature)),
    paths: paths(),
    components: {
      schemas: componentSchemas(),
      parameters: sharedParameters(),
      responses: { NoContent: NO_CONTENT_RESPONSE, ...errorResponses() },
      headers: {
        'X-Request-Id': {
          description: 'ID of the request in the log.',
          schema: { type: 'string' },
        },
        'Idempotent-Replayed': {
          description:
            '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Otherwise absent.',
          schema: { type: 'string', const: 'true' },
        },
      },
      securitySchemes,
    },
  };
}

const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The session token of a signed-in user, from `POST /auth/sign-in/email` or `POST /auth/sso/token`.',
  },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-gatehouse',
    description:
      'The cookie of a console session, from `POST /console/session`; named `gatehouse` on a loopback address without TLS. Only pages of this service can use it: requests other than GET and HEAD need its `Origin`.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'gh_…',
    description:
      'An API key of one space, for programs: `Authorization: Bearer gh_…`. `POST /spaces/{spaceId}/api-keys` creates a key and shows it once.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key in its own header: `X-API-Key: gh_…`.',
  },
  widgetSession: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a widget session, from `POST /assistant-link/exchange`. Valid for at most 15 minutes.',
  },
};

const ABOUT = [
  'Requests and responses are JSON in UTF-8 with camelCase members. Times are RFC 3339 in UTC, except `exp`, which is in Unix seconds.',
  'Lists accept `limit` and `after`, and return `items` and `next`. `next` is the cursor of the next page, or `null` on the last page.',
  'Every error response has a `message` and a stable `code`. The response to an invalid request also has `issues`, one per problem. The message of each issue starts with the path of the invalid member.',
  'A user has edit rights on a space if the user has the role `editor` or `owner` on at least one of its bots. Administrators have all permissions.',
].join('\n\n');

function paths(): Record<string, PathItem> {
  const byPath: Record<string, PathItem> = {};
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as OpenApiMethod;
    byPath[operation.path] = { ...byPath[operation.path], [method]: operationObject(operation) };
  }
  return byPath;
}
