import {
  changeEventSource,
  createEventSource,
  deleteEventSource,
  listEventSources,
  rotateEventSourceSecret,
  showEventSource,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit } from '../../http/index.ts';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import { sourceIssues } from './source.rules.ts';
import type { SourceService } from './source.service.ts';

export interface SourceRoutesDeps {
  readonly access: Access;
  readonly sources: SourceService;
}

/** API keys have no access to these routes. */
export function registerSourceRoutes(
  app: FastifyInstance,
  { access, sources }: SourceRoutesDeps,
): void {
  const edit = routesOnSpace(app, access, { role: 'editor' });
  const rules = sourceIssues;
  edit.create(createEventSource, (space, { body }, stored) => sources.create(space, body, stored), {
    rules,
  });
  edit(listEventSources, (space, { query }) =>
    sources.list(space, readCursor(query.after), readLimit(query.limit)),
  );
  edit(showEventSource, (space, { params }) => sources.show(space, params.sourceId));
  edit(changeEventSource, (space, { params, body }) =>
    sources.change(space, params.sourceId, body),
  );
  edit(
    rotateEventSourceSecret,
    (space, { params, body }) => sources.rotate(space, params.sourceId, body),
    { rules },
  );
  edit(deleteEventSource, (space, { params }) => sources.remove(space, params.sourceId));
}
