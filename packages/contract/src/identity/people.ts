import Type from 'typebox';
import { Body, EXAMPLE_TIME, ListOf, ListQuery, Text, Timestamp, Uuid } from '../common.ts';
import { operation } from '../operation.ts';

export const User = Type.Object({
  id: Uuid('The user.'),
  email: Type.String(),
  name: Type.String(),
  admin: Type.Boolean({ description: 'An administrator of the installation may do everything.' }),
  disabled: Type.Boolean({
    description: 'A disabled user cannot sign in and has no live session.',
  }),
  createdAt: Timestamp('When the user was made.'),
});
export type User = Type.Static<typeof User>;

const Email = Text({
  description: 'E-mail address; case does not matter.',
  minLength: 3,
  maxLength: 254,
});
const Password = Type.String({
  minLength: 12,
  maxLength: 128,
  description: 'At least 12 characters.',
});
const PersonName = Text({ description: 'Name to show.', minLength: 1, maxLength: 200 });

export const SignInRequest = Body({
  email: Text({ description: 'E-mail address.', minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 128 }),
});
export const NewUser = Body({
  email: Email,
  name: PersonName,
  password: Password,
});
export type NewUser = Type.Static<typeof NewUser>;
export const UserChange = Body({
  name: Type.Optional(PersonName),
  password: Type.Optional(Password),
  admin: Type.Optional(Type.Boolean()),
  disabled: Type.Optional(
    Type.Boolean({ description: 'true ends every session of the user at once.' }),
  ),
});
export type UserChange = Type.Static<typeof UserChange>;

const UserParams = Type.Object({ userId: Uuid('The user.') });
const exampleUser = {
  id: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
  email: 'ada@example.com',
  name: 'Ada',
  admin: false,
  disabled: false,
  createdAt: EXAMPLE_TIME,
};
const noSuchUser = { message: 'There is no such user.', code: 'access.user-not-found' };
const emailTaken = { message: 'Another user has this e-mail address.', code: 'access.email-taken' };
const SignedIn = Type.Object({
  token: Type.String({ description: 'Send it as `Authorization: Bearer <token>`.' }),
  user: User,
});

export const signIn = operation({
  id: 'signIn',
  feature: 'access',
  method: 'POST',
  path: '/auth/sign-in/email',
  summary: 'Sign in with e-mail and password',
  credentials: ['none'],
  body: SignInRequest,
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery' },
  answers: {
    200: {
      description: 'A session that lasts seven days.',
      schema: SignedIn,
      example: { token: 'x7Qm2…', user: exampleUser },
    },
  },
  errors: [400, 401, 429],
  errorExamples: {
    401: {
      message: 'The e-mail address and the password do not belong together.',
      code: 'access.sign-in-failed',
    },
  },
});

export const signOut = operation({
  id: 'signOut',
  feature: 'access',
  method: 'POST',
  path: '/auth/sign-out',
  summary: 'End this session',
  credentials: ['session'],
  answers: { 204: { description: 'The session is over.' } },
  errors: [401, 403],
});

export const showSession = operation({
  id: 'showSession',
  feature: 'access',
  method: 'GET',
  path: '/auth/session',
  summary: 'Who is signed in',
  credentials: ['session'],
  answers: {
    200: {
      description: 'The user of this session.',
      schema: Type.Object({ user: User, expiresAt: Timestamp('When the session ends.') }),
      example: { user: exampleUser, expiresAt: EXAMPLE_TIME },
    },
  },
  errors: [401, 403],
});

export const createUser = operation({
  id: 'createUser',
  feature: 'access',
  method: 'POST',
  path: '/users',
  summary: 'Make a user (administrators)',
  credentials: ['session'],
  body: NewUser,
  bodyExample: { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' },
  answers: { 201: { description: 'The user.', schema: User, example: exampleUser } },
  errors: [400, 401, 403, 409],
  errorExamples: { 409: emailTaken },
});

export const listUsers = operation({
  id: 'listUsers',
  feature: 'access',
  method: 'GET',
  path: '/users',
  summary: 'List users (administrators)',
  credentials: ['session'],
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Users, oldest first.',
      schema: ListOf(User),
      example: { items: [exampleUser], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showUser = operation({
  id: 'showUser',
  feature: 'access',
  method: 'GET',
  path: '/users/{userId}',
  summary: 'Show a user (administrators)',
  credentials: ['session'],
  params: UserParams,
  answers: { 200: { description: 'The user.', schema: User, example: exampleUser } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchUser },
});

export const changeUser = operation({
  id: 'changeUser',
  feature: 'access',
  method: 'PATCH',
  path: '/users/{userId}',
  summary: 'Change, disable or enable a user (administrators)',
  credentials: ['session'],
  params: UserParams,
  body: UserChange,
  bodyExample: { disabled: true },
  answers: {
    200: { description: 'The user.', schema: User, example: { ...exampleUser, disabled: true } },
  },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: noSuchUser,
    409: {
      message: 'You cannot disable or demote yourself; ask another administrator.',
      code: 'access.own-account',
    },
  },
});
