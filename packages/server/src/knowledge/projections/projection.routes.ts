import {
  changeProjection,
  createProjection,
  deleteProjection,
  listProjections,
  listRecords,
  rebuildProjection,
  showProjection,
  tryProjection,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import { definitionIssues } from './definition.rules.ts';
import type { Projections } from './projection.service.ts';

export interface ProjectionRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly projections: Projections;
}

export function registerProjectionRoutes(
  app: FastifyInstance,
  { access, projections }: ProjectionRoutesDeps,
): void {
  const read = routesOnSpace(app, access, { role: 'viewer', scope: 'read' });
  const write = routesOnSpace(app, access, { role: 'editor', scope: 'knowledge:write' });

  write.create(
    createProjection,
    (space, { body }, stored) => projections.create(space, body, stored),
    {
      rules: definitionIssues,
      locationOf: ({ spaceId, id }) => `/spaces/${spaceId}/projections/${id}`,
    },
  );
  read(listProjections, (space, { query }) => projections.list(space, query));
  write(tryProjection, (space, { body }) => projections.try(space, body), {
    rules: definitionIssues,
  });
  read(showProjection, (space, { params }) => projections.show(space, params.projectionId));
  write(changeProjection, (space, { params, body }) =>
    projections.change(space, params.projectionId, body),
  );
  write(rebuildProjection, (space, { params }) => projections.rebuild(space, params.projectionId));
  write(deleteProjection, (space, { params }) => projections.remove(space, params.projectionId));
  read(listRecords, (space, { params, query }) =>
    projections.records(space, params.projectionId, query),
  );
}
