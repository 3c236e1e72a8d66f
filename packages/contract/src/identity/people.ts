import Type from 'typebox';
import {
  Body,
  Bool,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';

export const User = Type.Object({
  id: Uuid('ID of the user.'),
  email: Str('Email address.'),
  name: Str('Display name.'),
  admin: Bool('`true`: an administrator with all permissions.'),
  disabled: Bool('`true`: the user cannot sign in and has no active session.'),
  createdAt: Timestamp('Time of creation.'),
});
export type User = Type.Static<typeof User>;

export const EmailAddress = Text({
  description: 'Email address. Case-insensitive.',
  minLength: 3,
  maxLength: 254,
});
export const NewPassword = Type.String({
  minLength: 12,
  maxLength: 128,
  description: '12 to 128 characters.',
});
export const PersonName = Text({ description: 'Display name.', minLength: 1, maxLength: 200 });

export const SignInRequest = Body({
  email: Text({ description: 'Email address.', minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 128, description: 'Password.' }),
});
export const NewUser = Body({
  email: EmailAddress,
  name: PersonName,
  password: NewPassword,
});
export type NewUser = Type.Static<typeof NewUser>;
export const UserChange = Body({
  name: Type.Optional(PersonName),
  password: Type.Optional(NewPassword),
  admin: Type.Optional(Bool('`true`: an administrator with all permissions.')),
  disabled: Type.Optional(
    Bool('`true`: the user cannot sign in, and all sessions of the user end immediately.'),
  ),
});
export type UserChange = Type.Static<typeof UserChange>;

export const UserParams = Type.Object({ userId: Uuid('ID of the user.') });
export const exampleUser = {
  id: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
  email: 'ada@example.com',
  name: 'Ada',
  admin: false,
  disabled: false,
  createdAt: EXAMPLE_TIME,
};
export const noSuchUser = errorOf('access.user-not-found', 'No user has this ID.');
const emailTaken = errorOf(
  'access.email-taken',
  'Another user already has this email address; use a different one.',
);
export const SignInResult = Type.Object({
  token: Str('Session token. Send it as `Authorization: Bearer <token>`.'),
  user: User,
});

export const CurrentSession = Type.Object({ user: User, expiresAt: Timestamp('Time of expiry.') });

export const UserList = ListOf(User);

/** The query of a list of people. */
export const PeopleQuery = Type.Object({
  ...ListQuery,
  search: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 200,
      description: 'Only users whose name or email address contains this text. Case-insensitive.',
    }),
  ),
});

export const signIn = operation({
  id: 'signIn',
  feature: 'access',
  method: 'POST',
  path: '/auth/sign-in/email',
  summary: 'Sign in with email address and password',
  description:
    'After ten failed sign-ins with an email address, further ones are rejected with 429 `access.too-many-failures`, even with the correct password: for one minute, then for two minutes after the next failure, up to 15 minutes. A successful sign-in, or 15 minutes without a failed one, resets the count. Existing sessions continue. A user with a second factor gets 401 `access.code-required` with a `challenge`; `POST /auth/sign-in/code` completes the sign-in.',
  credentials: ['none'],
  body: SignInRequest,
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery' },
  responses: {
    200: json('A session. It expires after seven days.', SignInResult, {
      token: 'x7Qm2…',
      user: exampleUser,
    }),
  },
  errors: [400, 401, 403, 429],
  errorExamples: {
    401: errorOf('access.sign-in-failed', 'The email address or the password is wrong.'),
    403: errorOf(
      'access.password-sign-in-off',
      'Signing in with a password is switched off; sign in at /auth/sso/start.',
    ),
  },
});

export const signOut = operation({
  id: 'signOut',
  feature: 'access',
  method: 'POST',
  path: '/auth/sign-out',
  summary: 'Sign out',
  credentials: ['session'],
  responses: { 204: { description: 'The session has ended.' } },
  errors: [401, 403],
});

export const showSession = operation({
  id: 'showSession',
  feature: 'access',
  method: 'GET',
  path: '/auth/session',
  summary: 'Get the current session',
  credentials: ['session'],
  responses: {
    200: json('The user of this session.', CurrentSession, {
      user: exampleUser,
      expiresAt: EXAMPLE_TIME,
    }),
  },
  errors: [401, 403],
});

export const createUser = operation({
  id: 'createUser',
  feature: 'access',
  method: 'POST',
  path: '/users',
  idempotent: true,
  summary: 'Create a user',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  body: NewUser,
  bodyExample: { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' },
  responses: { 201: { description: 'The created user.', schema: User, example: exampleUser } },
  errors: [400, 401, 403, 409],
  errorExamples: { 409: emailTaken },
});

export const listUsers = operation({
  id: 'listUsers',
  feature: 'access',
  method: 'GET',
  path: '/users',
  summary: 'List users',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  query: PeopleQuery,
  responses: { 200: jsonPage('Users, oldest first.', UserList, [exampleUser]) },
  errors: [400, 401, 403],
});

export const showUser = operation({
  id: 'showUser',
  feature: 'access',
  method: 'GET',
  path: '/users/{userId}',
  summary: 'Get a user',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: UserParams,
  responses: { 200: { description: 'The user.', schema: User, example: exampleUser } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchUser },
});

export const changeUser = operation({
  id: 'changeUser',
  feature: 'access',
  method: 'PATCH',
  path: '/users/{userId}',
  summary: 'Update, disable or enable a user',
  description: 'Omitted members keep their values.',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: UserParams,
  body: UserChange,
  bodyExample: { disabled: true },
  responses: { 200: json('The user.', User, { ...exampleUser, disabled: true }) },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: noSuchUser,
    409: errorOf(
      'access.own-account',
      'You cannot disable or demote yourself; ask another administrator.',
    ),
  },
});
