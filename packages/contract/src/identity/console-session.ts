import Type from 'typebox';
import { Body, EXAMPLE_TIME } from '../common.ts';
import { errorOf, operation } from '../operation.ts';
import { CurrentSession, exampleUser, SignInRequest } from './people.ts';
import { Challenge, codeRequired, SignInCode } from './second-factor.ts';

export const NewConsoleSession = Body({
  email: Type.Optional(SignInRequest.properties.email),
  password: Type.Optional(SignInRequest.properties.password),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Token of a session that was opened without a password, instead of `email` and `password`.',
    }),
  ),
  challenge: Type.Optional(Challenge),
  code: Type.Optional(SignInCode),
});
export type NewConsoleSession = Type.Static<typeof NewConsoleSession>;

const SET_COOKIE = {
  'set-cookie': {
    description:
      'The cookie of the session: `__Host-gatehouse`, or `gatehouse` if the service is on a loopback address without TLS. `HttpOnly`, `SameSite=Strict`.',
    schema: Type.String(),
  },
};

const otherOrigin = errorOf(
  'access.other-origin',
  'A console session works only on pages of https://gatehouse.example.com; open https://gatehouse.example.com/console.',
);

export const createConsoleSession = operation({
  id: 'createConsoleSession',
  feature: 'access',
  method: 'POST',
  path: '/console/session',
  summary: 'Sign in to the console',
  description:
    'The session is in a cookie that scripts cannot read; the response contains no token. Send `email` and `password`, with the same limits as `POST /auth/sign-in/email`. After single sign-on or a one-time link, send the `token` of that session: the session continues in the cookie, and the token becomes invalid. For a user with a second factor, the response to `email` and `password` is 401 `access.code-required` with a `challenge`; send `challenge` and `code` to complete the sign-in. The request must carry the `Origin` of this service.',
  credentials: ['none'],
  body: NewConsoleSession,
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery' },
  responses: {
    201: {
      description: 'A console session. It expires after seven days.',
      schema: CurrentSession,
      example: { user: exampleUser, expiresAt: EXAMPLE_TIME },
      headers: SET_COOKIE,
    },
  },
  errors: [400, 401, 403, 429],
  errorExamples: {
    401: codeRequired,
    403: otherOrigin,
  },
});

export const endConsoleSession = operation({
  id: 'endConsoleSession',
  feature: 'access',
  method: 'DELETE',
  path: '/console/session',
  summary: 'Sign out of the console',
  description:
    'Ends the session of the cookie, if it is active, and removes the cookie. Other credentials are ignored. The request must carry the `Origin` of this service.',
  credentials: ['none'],
  responses: { 204: { description: 'No console session is active.' } },
  errors: [403],
  errorExamples: { 403: otherOrigin },
});
