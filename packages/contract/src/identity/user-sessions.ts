import Type from 'typebox';
import {
  Bool,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  NoContent,
  Nullable,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { noSuchUser, UserParams } from './people.ts';

export const UserSession = Type.Object({
  id: Uuid('ID of the session.'),
  createdAt: Timestamp('Time of the sign-in.'),
  lastUsedAt: Timestamp('Time of the last request, rounded down to the minute.'),
  expiresAt: Timestamp('Time of expiry.'),
  address: Nullable(Str('Client address of the sign-in. `null`: not recorded.')),
  userAgent: Nullable(
    Str('`User-Agent` header of the sign-in, at most 500 characters. `null`: not recorded.'),
  ),
  current: Bool('`true`: the session that sent this request.'),
});
export type UserSession = Type.Static<typeof UserSession>;

export const UserSessionList = ListOf(UserSession);

const page = {
  items: [
    {
      id: '0199f3a2-8e31-7b42-9d55-7c2a1fae3d69',
      createdAt: EXAMPLE_TIME,
      lastUsedAt: EXAMPLE_TIME,
      expiresAt: EXAMPLE_TIME,
      address: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      current: true,
    },
  ],
  next: null,
};

export const listSessions = operation({
  id: 'listSessions',
  feature: 'access',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'List your sessions',
  credentials: ['session'],
  query: Type.Object(ListQuery),
  responses: {
    200: json('Sessions of the caller that have not expired, oldest first.', UserSessionList, page),
  },
  errors: [400, 401, 403],
});

export const endOtherSessions = operation({
  id: 'endOtherSessions',
  feature: 'access',
  method: 'DELETE',
  path: '/auth/sessions',
  summary: 'End all of your other sessions',
  credentials: ['session'],
  responses: { 204: { description: 'Only the session that sent this request continues.' } },
  errors: [401, 403],
});

export const endSession = operation({
  id: 'endSession',
  feature: 'access',
  method: 'DELETE',
  path: '/auth/sessions/{sessionId}',
  summary: 'End one of your sessions',
  credentials: ['session'],
  params: Type.Object({ sessionId: Uuid('ID of the session.') }),
  responses: { 204: NoContent },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: errorOf('access.session-not-found', 'You have no session with this ID.') },
});

export const listUserSessions = operation({
  id: 'listUserSessions',
  feature: 'access',
  method: 'GET',
  path: '/users/{userId}/sessions',
  summary: 'List the sessions of a user',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: UserParams,
  query: Type.Object(ListQuery),
  responses: {
    200: json('Sessions of the user that have not expired, oldest first.', UserSessionList, {
      ...page,
      items: page.items.map((item) => ({ ...item, current: false })),
    }),
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchUser },
});

export const endUserSessions = operation({
  id: 'endUserSessions',
  feature: 'access',
  method: 'DELETE',
  path: '/users/{userId}/sessions',
  summary: 'End all sessions of a user',
  description: 'The user can sign in again. To prevent that, disable the user.',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  params: UserParams,
  responses: { 204: NoContent },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchUser },
});
