import { changeUser, createUser, listUsers, showUser, type User } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route, routesFor } from '../../http/index.ts';
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
  const forAdministrators = routesFor(app, access.administrator);
  forAdministrators(listUsers, ({ query: { after, limit, search } }) =>
    users.list({ after: readCursor(after), limit: readLimit(limit), search }),
  );
  forAdministrators(showUser, ({ params }) => users.show(params.userId));
  forAdministrators(changeUser, ({ caller, params, body }) =>
    users.change(caller, params.userId, body),
  );
}
