import {
  changeCrawl,
  createCrawl,
  deleteCrawl,
  listCrawlPages,
  listCrawls,
  showCrawl,
  startCrawl,
  stopCrawl,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import type { Crawls } from './crawl.service.ts';
import { crawlChangeIssues, newCrawlIssues } from './definition.rules.ts';

export interface CrawlRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly crawls: Crawls;
}

export function registerCrawlRoutes(
  app: FastifyInstance,
  { access, crawls }: CrawlRoutesDeps,
): void {
  // Reading requires the right to write too, because pages and reasons reveal documents that a viewer may not see.
  const write = routesOnSpace(app, access, { role: 'editor', scope: 'knowledge:write' });

  write.create(createCrawl, (space, { body }, stored) => crawls.create(space, body, stored), {
    handlerRules: newCrawlIssues,
    locationOf: ({ spaceId, id }) => `/spaces/${spaceId}/crawls/${id}`,
  });
  write(listCrawls, (space, { query }) => crawls.list(space, query));
  write(showCrawl, (space, { params }) => crawls.show(space, params.crawlId));
  write(changeCrawl, (space, { params, body }) => crawls.change(space, params.crawlId, body), {
    handlerRules: crawlChangeIssues,
  });
  write(deleteCrawl, (space, { params }) => crawls.remove(space, params.crawlId));
  write(startCrawl, (space, { params }) => crawls.start(space, params.crawlId));
  write(stopCrawl, (space, { params }) => crawls.stop(space, params.crawlId));
  write(listCrawlPages, (space, { params, query }) => crawls.pages(space, params.crawlId, query));
}
