import {
  listDocumentEvents,
  retryDocumentEvent,
  retryDocumentEvents,
  showDocumentEvent,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import type { DocumentEvents } from './document-event.service.ts';

export interface DocumentEventRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly documentEvents: DocumentEvents;
}

export function registerDocumentEventRoutes(
  app: FastifyInstance,
  { access, documentEvents }: DocumentEventRoutesDeps,
): void {
  const read = routesOnSpace(app, access, { role: 'viewer', scope: 'read' });
  const write = routesOnSpace(app, access, { role: 'editor', scope: 'knowledge:write' });
  read(listDocumentEvents, (space, { query }) => documentEvents.list(space, query));
  read(showDocumentEvent, (space, { params }) =>
    documentEvents.show(space, params.documentEventId),
  );
  write(retryDocumentEvent, (space, { params }) =>
    documentEvents.retry(space, params.documentEventId),
  );
  write(retryDocumentEvents, (space, { query }) => documentEvents.retryFailed(space, query));
}
