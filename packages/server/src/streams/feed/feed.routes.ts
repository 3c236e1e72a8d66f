import { listEvents } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import { createFeed, type FeedDeps } from './feed.service.ts';

export function registerFeedRoutes(app: FastifyInstance, deps: FeedDeps): void {
  const feed = createFeed(deps);
  route(app, listEvents, {
    caller: (request) => deps.access.caller(request),
    handle: async ({ caller, query }) => ({ status: 200, text: await feed(caller, query) }),
  });
}
