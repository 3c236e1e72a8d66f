import type { OperationObject, SecurityScheme } from './openapi-document.ts';
import type { Credential } from './operation.ts';

/** `components.securitySchemes`. */
export const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
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

const SCHEMES: Readonly<Record<Credential, readonly string[]>> = {
  session: ['session'],
  apiKey: ['apiKey', 'apiKeyHeader'],
  widgetSession: ['widgetSession'],
  none: [],
};

/** The alternatives an operation takes; `{}` where the header may be left out, nothing where none is asked. */
export function securityOf(credentials: readonly Credential[]): OperationObject['security'] {
  const schemes = credentials.flatMap((credential) => SCHEMES[credential]);
  const optional = credentials.includes('none') && schemes.length > 0;
  return [...schemes.map((scheme) => ({ [scheme]: [] })), ...(optional ? [{}] : [])];
}
