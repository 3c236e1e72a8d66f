import {
  type CreatedSpace,
  changeSpace,
  createSpace,
  deleteSpace,
  listSpaces,
  showSpace,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route, routesFor } from '../../http/index.ts';
import { permissionFilterIssues } from '../../lib/filters/index.ts';
import type { Access } from '../access/access.ts';
import { routesOnSpace } from '../access/checked-routes.ts';
import { replayWith } from '../access/replay.ts';
import { originIssues } from './origin.rules.ts';
import { isForOwners, type SpaceService } from './space.service.ts';

const VIEW = { role: 'viewer', scope: 'read' } as const;

const issuesOf = (body: Readonly<Record<string, unknown>>) => [
  ...originIssues(body),
  ...permissionFilterIssues(body),
];

const created = (space: CreatedSpace) => ({ status: 201, body: space }) as const;

export interface SpaceRoutesDeps {
  readonly access: Access;
  readonly spaces: SpaceService;
}

export function registerSpaceOperations(app: FastifyInstance, deps: SpaceRoutesDeps): void {
  const { access, spaces } = deps;
  route(app, createSpace, {
    caller: access.user,
    rules: issuesOf,
    replay: replayWith(access, { role: 'owner' }),
    handle: async ({ caller, body, once }) => {
      const stored = once.store((space: CreatedSpace) => ({
        spaceId: space.id,
        response: created(space),
      }));
      return created(await spaces.create(caller, body, stored));
    },
  });
  route(app, listSpaces, {
    caller: access.caller,
    handle: async ({ caller, query }) => {
      const after = readCursor(query.after);
      if (caller.kind === 'user')
        return { status: 200, body: await spaces.list(caller, after, readLimit(query.limit)) };
      const own = await spaces.show(await access.space(caller, caller.spaceId, VIEW));
      const items = after === null || after < own.id ? [own] : [];
      return { status: 200, body: { items, next: null } };
    },
  });
  routesOnSpace(
    app,
    access,
    VIEW,
  )(showSpace, async (space) => ({
    ...(await spaces.show(space)),
    rights: await access.rightsOn(space),
  }));
  const forUsers = routesFor(app, access.user);
  forUsers(
    changeSpace,
    async ({ caller, params, body }) => {
      const space = isForOwners(body)
        ? await access.ownedSpace(caller, params.spaceId)
        : await access.space(caller, params.spaceId, { role: 'editor' });
      return spaces.change(space, body);
    },
    { rules: issuesOf },
  );
  forUsers(deleteSpace, async ({ caller, params }) =>
    spaces.remove(await access.ownedSpace(caller, params.spaceId), caller),
  );
}
