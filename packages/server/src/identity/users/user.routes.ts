import { changeUser, createUser, listUsers, showUser } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { emailIssues } from './user.rules.ts';
import type { Users } from './user.service.ts';

export interface UserRoutesDeps {
  readonly access: Access;
  readonly users: Users;
}

export function registerUserRoutes(app: FastifyInstance, { access, users }: UserRoutesDeps): void {
  route(app, createUser, {
    caller: access.administrator,
    rules: emailIssues,
    handle: async ({ body }) => ({ status: 201, body: await users.create(body) }),
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
