import {
  listDocumentEvents,
  retryDocumentEvent,
  retryDocumentEvents,
  showDocumentEvent,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Access } from '../../identity/index.ts';
import type { DocumentEvents } from './document-event.service.ts';

export interface DocumentEventRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly documentEvents: DocumentEvents;
}

const MAY_READ = { role: 'viewer', scope: 'read' } as const;
const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerDocumentEventRoutes(
  app: FastifyInstance,
  { access, documentEvents }: DocumentEventRoutesDeps,
): void {
  route(app, listDocumentEvents, {
    caller: access.caller,
    async handle({ caller, params, query }) {
      const space = await access.space(caller, params.spaceId, MAY_READ);
      return { status: 200, body: await documentEvents.list(space, query) };
    },
  });
  route(app, showDocumentEvent, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await access.space(caller, params.spaceId, MAY_READ);
      return { status: 200, body: await documentEvents.show(space, params.documentEventId) };
    },
  });
  route(app, retryDocumentEvent, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      return { status: 200, body: await documentEvents.retry(space, params.documentEventId) };
    },
  });
  route(app, retryDocumentEvents, {
    caller: access.caller,
    async handle({ caller, params, query }) {
      const space = await access.space(caller, params.spaceId, MAY_WRITE);
      return { status: 200, body: await documentEvents.retryFailed(space, query) };
    },
  });
}
