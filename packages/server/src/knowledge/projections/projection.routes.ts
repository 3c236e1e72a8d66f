import {
  changeProjection,
  createProjection,
  deleteProjection,
  listProjections,
  listRecords,
  type Projection,
  rebuildProjection,
  showProjection,
  tryProjection,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import { type Access, replayWith } from '../../identity/index.ts';
import { definitionIssues } from './definition.rules.ts';
import type { Projections } from './projection.service.ts';

export interface ProjectionRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly projections: Projections;
}

const MAY_READ = { role: 'viewer', scope: 'read' } as const;
const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerProjectionRoutes(
  app: FastifyInstance,
  { access, projections }: ProjectionRoutesDeps,
): void {
  route(app, createProjection, {
    caller: (request) => access.caller(request),
    rules: definitionIssues,
    replay: replayWith(access, MAY_WRITE),
    async handle({ caller, params, body, once }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      const { spaceId } = space;
      const stored = once.store((projection: Projection) => ({
        spaceId,
        response: created(projection),
      }));
      return created(await projections.create(space, body, stored));
    },
  });
  route(app, listProjections, {
    caller: access.caller,
    async handle({ caller, params, query }) {
      const space = await access.space(caller, params.spaceId, MAY_READ);
      return { status: 200, body: await projections.list(space, query) };
    },
  });
  route(app, tryProjection, {
    caller: access.caller,
    rules: definitionIssues,
    async handle({ caller, params, body }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      return { status: 200, body: await projections.try(space, body) };
    },
  });
  route(app, showProjection, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await access.space(caller, params.spaceId, MAY_READ);
      return { status: 200, body: await projections.show(space, params.projectionId) };
    },
  });
  route(app, changeProjection, {
    caller: access.caller,
    async handle({ caller, params, body }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      return { status: 200, body: await projections.change(space, params.projectionId, body) };
    },
  });
  route(app, rebuildProjection, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      return { status: 202, body: await projections.rebuild(space, params.projectionId) };
    },
  });
  route(app, deleteProjection, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      await projections.remove(space, params.projectionId);
      return { status: 204 };
    },
  });
  route(app, listRecords, {
    caller: access.caller,
    async handle({ caller, params, query }) {
      const space = await access.space(caller, params.spaceId, MAY_READ);
      return { status: 200, body: await projections.records(space, params.projectionId, query) };
    },
  });
}

function created(projection: Projection) {
  const location = `/spaces/${projection.spaceId}/projections/${projection.id}`;
  return { status: 201, body: projection, headers: { location } } as const;
}
