import Type from 'typebox';
import { Body, EXAMPLE_TIME, STORABLE_PATTERN, Str, Timestamp } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import {
  EmailAddress,
  exampleUser,
  NewPassword,
  noSuchUser,
  PersonName,
  SignInResult,
  UserParams,
} from './people.ts';

export const RedeemRequest = Body({
  token: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: STORABLE_PATTERN,
    description: 'Token in the fragment of the URL, after `=`.',
  }),
  email: Type.Optional(EmailAddress),
  name: Type.Optional(PersonName),
  password: Type.Optional(NewPassword),
});
export type RedeemRequest = Type.Static<typeof RedeemRequest>;

export const ResetLink = Type.Object({
  url: Str('URL with the token in its fragment. It is shown only in this response.'),
  expiresAt: Timestamp('Time of expiry.'),
});

export const PasswordChange = Body({
  currentPassword: Type.String({ minLength: 1, maxLength: 128, description: 'Current password.' }),
  newPassword: NewPassword,
});

const EXAMPLE_TOKEN = 'b4CwXw0dJQpN2sVtK7yHrE9uLmZf3aGiT6oRj1vSx8U';

const wrongPassword = errorOf('access.wrong-password', 'The current password is wrong.');

export const redeemLink = operation({
  id: 'redeemLink',
  feature: 'access',
  method: 'POST',
  path: '/auth/redeem',
  summary: 'Redeem a one-time link',
  description:
    'A setup link creates the first administrator and needs all members. An invitation needs the session of the user with the invited address or, if there is no such user, `name` and `password`. A reset link needs `password`, replaces the password and ends all earlier sessions. A sign-in link needs only `token`. If `email` is sent, it must be the address of the link. An unknown token results in 401 `auth.link-unknown`. If the invited address has an account, a request without its session results in 401 `auth.sign-in-required`. A reset or sign-in link does not replace the second factor of its user: the link takes effect, and the response is 401 `access.code-required` with a `challenge` for `POST /auth/sign-in/code`.',
  credentials: ['none', 'session'],
  body: RedeemRequest,
  bodyExample: { token: EXAMPLE_TOKEN, name: 'Ada', password: 'correct horse battery' },
  responses: {
    200: json('A session of the user.', SignInResult, { token: 'x7Qm2…', user: exampleUser }),
  },
  errors: [400, 401, 403, 409, 410, 429],
  errorExamples: {
    401: errorOf(
      'auth.link-unknown',
      'This link is incomplete or unknown; copy the whole link, or ask for a new one.',
    ),
    403: errorOf(
      'auth.other-user',
      'This session belongs to another user; sign in as the user with the invited address.',
    ),
    409: errorOf(
      'access.email-taken',
      'Another user already has this email address; use a different one.',
    ),
    410: errorOf(
      'auth.link-gone',
      'This link was used or replaced, or has expired; ask for a new one.',
    ),
  },
});

export const changePassword = operation({
  id: 'changePassword',
  feature: 'access',
  method: 'POST',
  path: '/auth/change-password',
  summary: 'Change your password',
  description:
    'Ends every other session of the user, and the reset and sign-in links of the user. A wrong current password counts as a failed sign-in.',
  credentials: ['session'],
  body: PasswordChange,
  bodyExample: { currentPassword: 'correct horse battery', newPassword: 'a better password' },
  responses: { 204: { description: 'The password has changed.' } },
  errors: [400, 401, 403, 409, 429],
  errorExamples: {
    403: wrongPassword,
    409: errorOf(
      'access.no-password',
      'This user has no password; ask an administrator for a reset link.',
    ),
    429: errorOf(
      'access.too-many-failures',
      'Too many failed attempts for this account; retry in 60 seconds.',
    ),
  },
});

export const createResetLink = operation({
  id: 'createResetLink',
  feature: 'access',
  method: 'POST',
  path: '/users/{userId}/reset-link',
  summary: 'Create a link to reset the password of a user',
  description:
    'The link is valid for 24 hours and replaces earlier reset links of the user. It is void while the administrator who created it is disabled or no longer an administrator. The password stays valid until the link is redeemed. A user who is linked to an OpenID provider has no password (409).',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: UserParams,
  responses: {
    201: json('The link.', ResetLink, {
      url: `https://gatehouse.example.com/console#reset=${EXAMPLE_TOKEN}`,
      expiresAt: EXAMPLE_TIME,
    }),
  },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: noSuchUser,
    409: errorOf('access.user-disabled', 'This user is disabled; enable the user first.'),
  },
});
