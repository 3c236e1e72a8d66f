import Type from 'typebox';
import { Body, Bool, NoContent } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { SignInResult, showUser, signIn } from './people.ts';

export const SignInMethods = Type.Object({
  password: Bool('`true`: users can sign in with email address and password.'),
  singleSignOn: Bool(
    '`true`: users can sign in at an OpenID provider, starting at `/auth/sso/start`.',
  ),
});

export const SingleSignOnCode = Body({
  code: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The value of `sso-code` in the fragment of the URL.',
  }),
});

const ReturnTo = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description:
      'Path on this service where the browser continues, with an optional query. Printable ASCII that starts with exactly one `/`, without a backslash and without a fragment. Default `/`.',
  }),
);

const location = (description: string) => ({
  Location: { description, schema: Type.String() },
});
const cookie = (description: string) => ({
  'Set-Cookie': { description, schema: Type.String() },
});

const off = errorOf(
  'access.sso-off',
  'Single sign-on is not configured; an operator must set GATEHOUSE_OIDC_ISSUER and related settings.',
);
const unavailable = errorOf(
  'access.sso-unavailable',
  'The OpenID provider is unavailable or its response is unusable; retry later. The log contains the reason.',
);

export const listSignInMethods = operation({
  id: 'listSignInMethods',
  feature: 'access',
  method: 'GET',
  path: '/auth/methods',
  summary: 'List the ways to sign in',
  credentials: ['none'],
  responses: {
    200: json('The ways to sign in.', SignInMethods, { password: true, singleSignOn: true }),
  },
  errors: [],
});

export const startSingleSignOn = operation({
  id: 'startSingleSignOn',
  feature: 'access',
  method: 'GET',
  path: '/auth/sso/start',
  summary: 'Start single sign-on',
  description:
    'Open this URL in a browser. The cookie binds the sign-in to the browser and expires after ten minutes. Starting again replaces the cookie, so only the newest sign-in of a browser can be completed.',
  credentials: ['none'],
  query: Type.Object({ returnTo: ReturnTo }),
  responses: {
    302: {
      description: 'Redirect to the OpenID provider.',
      headers: {
        ...location('URL of the provider, with `state`, `nonce` and a PKCE challenge.'),
        ...cookie('State of this sign-in, encrypted. `HttpOnly`, `SameSite=Lax`.'),
      },
    },
  },
  errors: [400, 404, 429],
  errorExamples: { 404: off, 503: unavailable },
});

export const finishSingleSignOn = operation({
  id: 'finishSingleSignOn',
  feature: 'access',
  method: 'GET',
  path: '/auth/sso/callback',
  summary: 'Finish single sign-on',
  description:
    'The provider redirects the browser here, with the query parameters of OpenID Connect (`code`, `state`, `iss`, `error`). Verifies the response, creates or links the user, and synchronises the roles that the provider grants. Each `state` is accepted once.',
  credentials: ['none'],
  responses: {
    302: {
      description: 'Redirect to the path that was given at the start.',
      headers: {
        ...location('The path, with `#sso-code=<code>`. The code is valid for 60 seconds.'),
        ...cookie('Second half of the code. `HttpOnly`, `SameSite=Lax`.'),
      },
    },
  },
  errors: [400, 401, 403, 404, 429],
  errorExamples: {
    400: errorOf(
      'access.sso-state',
      'This sign-in was started in another browser, has expired or has already been used; start again at /auth/sso/start.',
    ),
    401: errorOf(
      'access.sso-invalid-response',
      'The response of the OpenID provider failed a security check; start again at /auth/sso/start. The log contains the reason.',
    ),
    403: errorOf(
      'access.sso-email-unverified',
      'The OpenID provider has not verified your email address; verify the address there, then sign in again.',
    ),
    404: off,
    503: unavailable,
  },
});

export const redeemSingleSignOn = operation({
  id: 'redeemSingleSignOn',
  feature: 'access',
  method: 'POST',
  path: '/auth/sso/token',
  summary: 'Exchange the code of a single sign-on for a session',
  description:
    'Requires the cookie that `GET /auth/sso/callback` set, so a code from another browser is useless. Each code is accepted once, within 60 seconds.',
  credentials: ['none'],
  body: SingleSignOnCode,
  bodyExample: { code: 'Rk2vQ8…' },
  responses: {
    200: json(
      'A session. It expires after seven days.',
      SignInResult,
      signIn.responses[200].example,
    ),
  },
  errors: [400, 401, 403, 404, 429],
  errorExamples: {
    401: errorOf(
      'access.sso-code',
      'This code is unknown, has expired or belongs to another browser; start again at /auth/sso/start.',
    ),
    403: errorOf(
      'access.user-disabled',
      'This user is disabled; ask an administrator to enable the user.',
    ),
    404: off,
  },
});

export const endProviderSession = operation({
  id: 'endProviderSession',
  feature: 'access',
  method: 'GET',
  path: '/auth/sso/sign-out',
  summary: 'Sign out at the OpenID provider',
  description:
    'Open this URL in a browser after `POST /auth/sign-out`. Redirects to the sign-out page of the provider, or to `returnTo` if the provider has no such page. The provider may ask for confirmation.',
  credentials: ['none'],
  query: Type.Object({ returnTo: ReturnTo }),
  responses: {
    302: {
      description: 'Redirect to the provider, or to `returnTo`.',
      headers: location('URL of the sign-out page of the provider, or the path.'),
    },
  },
  errors: [400, 404, 429],
  errorExamples: { 404: off, 503: unavailable },
});

export const unlinkUser = operation({
  id: 'unlinkUser',
  feature: 'access',
  method: 'DELETE',
  path: '/users/{userId}/single-sign-on',
  summary: 'Unlink a user from the OpenID provider',
  description:
    'Ends the sessions of the user and removes the rights that groups of the provider granted. The next person who signs in at the provider with the verified email address of the user is linked to the user. Use this operation after the provider has assigned a new ID to a person.',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: showUser.params,
  responses: { 204: NoContent },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: showUser.errorExamples[404] },
});
