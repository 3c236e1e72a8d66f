import Type from 'typebox';
import { Body, EXAMPLE_TIME, Int, NoContent, Nullable, Str, Timestamp } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { exampleUser, noSuchUser, SignInResult, UserParams } from './people.ts';

/** Number of recovery codes that a user gets. */
export const RECOVERY_CODES = 10;

const Password = Type.String({ minLength: 1, maxLength: 128, description: 'Current password.' });

export const Challenge = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    '`challenge` of the 401 response `access.code-required`. It is valid for five minutes and one sign-in.',
});

/** Type of the member `code` where a code of the app or a recovery code is accepted. */
export const SignInCode = Type.String({
  minLength: 6,
  maxLength: 64,
  description: 'Code of the authenticator app, six digits, or a recovery code.',
});

export const CodeSignInRequest = Body({ challenge: Challenge, code: SignInCode });

export const PasswordConfirmation = Body({ password: Password });

export const SecondFactorRemoval = Body({ password: Password, code: SignInCode });

export const SecondFactorCode = Body({
  code: Type.String({
    minLength: 6,
    maxLength: 16,
    description: 'Code of the authenticator app, six digits.',
  }),
});

export const SecondFactor = Type.Object({
  enabledAt: Nullable(
    Timestamp('Time since which sign-ins need a code. `null`: they need only the password.'),
  ),
  recoveryCodes: Int('Number of unused recovery codes.'),
});
export type SecondFactor = Type.Static<typeof SecondFactor>;

export const NewSecondFactor = Type.Object({
  secret: Str('Secret for the authenticator app, in Base32.'),
  uri: Str(
    'The same secret as an `otpauth:` URI, which authenticator apps can read from a QR code.',
  ),
});
export type NewSecondFactor = Type.Static<typeof NewSecondFactor>;

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), {
    description:
      'Each code works once, in place of a code from the app. Only this response contains them.',
  }),
});
export type RecoveryCodes = Type.Static<typeof RecoveryCodes>;

/** Example of a 401 response that asks for a code. */
export const codeRequired = {
  message:
    'A code is required; send it with `challenge` to POST /auth/sign-in/code within five minutes.',
  code: 'access.code-required',
  challenge: 'nT4pVb…',
};

const wrongCode = errorOf(
  'access.wrong-code',
  'This code is wrong or was used before; wait for the next code of the app.',
);
const blocked = errorOf(
  'access.too-many-failures',
  'Too many failed attempts for this account; retry in 60 seconds.',
);
const wrongPassword = errorOf('access.wrong-password', 'The current password is wrong.');

export const signInWithCode = operation({
  id: 'signInWithCode',
  feature: 'access',
  method: 'POST',
  path: '/auth/sign-in/code',
  summary: 'Complete a sign-in with a code',
  description:
    'Second step of a sign-in whose first step resulted in 401 `access.code-required`. After five wrong codes in a row, codes of the app are rejected with 429 `access.too-many-failures` for one minute; each further wrong code doubles the time, up to 24 hours. Recovery codes are accepted at any time. A code is accepted once. An unknown, used or expired challenge results in 401 `access.challenge-gone`.',
  credentials: ['none'],
  body: CodeSignInRequest,
  bodyExample: { challenge: 'nT4pVb…', code: '492039' },
  responses: {
    200: json('A session. It expires after seven days.', SignInResult, {
      token: 'x7Qm2…',
      user: exampleUser,
    }),
  },
  errors: [400, 401, 429],
  errorExamples: { 401: wrongCode, 429: blocked },
});

export const showSecondFactor = operation({
  id: 'showSecondFactor',
  feature: 'access',
  method: 'GET',
  path: '/auth/second-factor',
  summary: 'Get your second factor',
  credentials: ['session'],
  responses: {
    200: json('State of the second factor of the caller.', SecondFactor, {
      enabledAt: EXAMPLE_TIME,
      recoveryCodes: 9,
    }),
  },
  errors: [401, 403],
});

export const startSecondFactor = operation({
  id: 'startSecondFactor',
  feature: 'access',
  method: 'POST',
  path: '/auth/second-factor',
  summary: 'Start setting up a second factor',
  description:
    'Creates a secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds). Sign-ins do not need a code until `POST /auth/second-factor/confirm` proves that the app has the secret. A new request replaces an unconfirmed secret. A wrong password counts as a failed sign-in.',
  credentials: ['session'],
  body: PasswordConfirmation,
  bodyExample: { password: 'correct horse battery' },
  responses: {
    201: json('The secret. Only this response contains it.', NewSecondFactor, {
      secret: 'PFZGK3LTOJSWG4TFOQWXG5DSNFXGO',
      uri: 'otpauth://totp/Gatehouse%20(gatehouse.example.com):ada%40example.com?secret=PFZGK3LTOJSWG4TFOQWXG5DSNFXGO&issuer=Gatehouse+%28gatehouse.example.com%29&digits=6&period=30',
    }),
  },
  errors: [400, 401, 403, 409, 429],
  errorExamples: {
    403: wrongPassword,
    409: errorOf(
      'access.second-factor-exists',
      'Your second factor is already set up; disable it first.',
    ),
    429: blocked,
  },
});

export const confirmSecondFactor = operation({
  id: 'confirmSecondFactor',
  feature: 'access',
  method: 'POST',
  path: '/auth/second-factor/confirm',
  summary: 'Confirm your second factor with a first code',
  description:
    'From now on, signing in with the password, a reset link or a sign-in link needs a code. Ends every other session of the user. An unconfirmed secret expires after 15 minutes.',
  credentials: ['session'],
  body: SecondFactorCode,
  bodyExample: { code: '492039' },
  responses: {
    200: json('The recovery codes.', RecoveryCodes, {
      recoveryCodes: ['k3vd-8q2p-x7mh-4wzt', 'b9ej-c5ra-0ynf-6gs1'],
    }),
  },
  errors: [400, 401, 403, 409, 429],
  errorExamples: {
    403: wrongCode,
    409: errorOf(
      'access.second-factor-not-started',
      'There is no second factor to confirm; start with POST /auth/second-factor.',
    ),
    429: blocked,
  },
});

export const disableSecondFactor = operation({
  id: 'disableSecondFactor',
  feature: 'access',
  method: 'POST',
  path: '/auth/second-factor/disable',
  summary: 'Disable your second factor',
  description:
    'Deletes the secret and the recovery codes. Has no effect without a second factor. A wrong password counts as a failed sign-in, and a wrong code as a failed attempt of the second factor.',
  credentials: ['session'],
  body: SecondFactorRemoval,
  bodyExample: { password: 'correct horse battery', code: '492039' },
  responses: { 204: { description: 'Sign-ins need only the password.' } },
  errors: [400, 401, 403, 409, 429],
  errorExamples: {
    403: wrongPassword,
    409: errorOf(
      'access.no-password',
      'This user has no password; ask an administrator for a reset link.',
    ),
    429: blocked,
  },
});

export const removeSecondFactor = operation({
  id: 'removeSecondFactor',
  feature: 'access',
  method: 'DELETE',
  path: '/users/{userId}/second-factor',
  summary: 'Remove the second factor of a user',
  description:
    'For a user who has lost the authenticator app and the recovery codes. Has no effect if the user has no second factor. Sessions of the user continue.',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: UserParams,
  responses: { 204: NoContent },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchUser },
});
