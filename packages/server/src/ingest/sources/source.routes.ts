import {
  changeEventSource,
  createEventSource,
  deleteEventSource,
  type EventSourceWithSecret,
  listEventSources,
  rotateEventSourceSecret,
  showEventSource,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import { type Access, replayWith } from '../../identity/index.ts';
import { sourceIssues } from './source.rules.ts';
import type { SourceService } from './source.service.ts';

export interface SourceRoutesDeps {
  readonly access: Access;
  readonly sources: SourceService;
}

const created = (source: EventSourceWithSecret) => ({ status: 201, body: source }) as const;

/** API keys have no access to these routes. */
const EDIT = { role: 'editor' } as const;

export function registerSourceRoutes(app: FastifyInstance, deps: SourceRoutesDeps): void {
  const { access, sources } = deps;
  route(app, createEventSource, {
    caller: access.user,
    rules: sourceIssues,
    replay: replayWith(access, EDIT),
    handle: async ({ caller, params, body, once }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      const stored = once.store((source: EventSourceWithSecret) => ({
        spaceId: space.spaceId,
        response: created(source),
      }));
      return created(await sources.create(space, body, stored));
    },
  });
  route(app, listEventSources, {
    caller: access.user,
    handle: async ({ caller, params, query }) => {
      const after = readCursor(query.after);
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await sources.list(space, after, readLimit(query.limit)) };
    },
  });
  route(app, showEventSource, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await sources.show(space, params.sourceId) };
    },
  });
  route(app, changeEventSource, {
    caller: access.user,
    handle: async ({ caller, params, body }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await sources.change(space, params.sourceId, body) };
    },
  });
  route(app, rotateEventSourceSecret, {
    caller: access.user,
    rules: sourceIssues,
    handle: async ({ caller, params, body }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 201, body: await sources.rotate(space, params.sourceId, body) };
    },
  });
  route(app, deleteEventSource, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      await sources.remove(space, params.sourceId);
      return { status: 204 };
    },
  });
}
