import { changeUser, createUser, listUsers, showUser, type User } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { REPLAY_FOR_CALLER } from '../access/replay.ts';
import { emailIssues } from './user.rules.ts';
import type { Users } from './user.service.ts';

const created = (user: User) => ({ status: 201, body: user }) as const;

export interface UserRoutesDeps {
  readonly access: Access;
  readonly users: Users;
}

export function registerUserRoutes(app: FastifyInstance, { access, users }: UserRoutesDeps): void {
  route(app, createUser, {
    caller: access.administrator,
    rules: emailIssues,
    replay: REPLAY_FOR_CALLER,
    handle: async ({ body, once }) => {
      const stored = once.store((user: User) => ({ spaceId: null, response: created(user) }));
      return created(await users.create(body, stored));
    },
  });
  route(app, listUsers, {
    caller: access.administrator,
    handle: async ({ query }) => ({
      status: 200,
      body: await users.list(readCursor(query.after), readLimit(query.limit)),
    }),
  });
  route(app, showUser, {
    caller: access.administrator,
    handle: async ({ params }) => ({ status: 200, body: await users.show(params.userId) }),
  });
  route(app, changeUser, {
    caller: access.administrator,
    handle: async ({ caller, params, body }) => ({
      status: 200,
      body: await users.change(caller, params.userId, body),
    }),
  });
}
