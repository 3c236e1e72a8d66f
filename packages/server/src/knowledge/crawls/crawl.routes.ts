import {
  type Crawl,
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
import { route } from '../../http/index.ts';
import { type Access, type Caller, replayWith } from '../../identity/index.ts';
import type { Crawls } from './crawl.service.ts';
import { crawlChangeIssues, newCrawlIssues } from './definition.rules.ts';

export interface CrawlRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly crawls: Crawls;
}

/** Reading requires the right to write too, because pages and reasons reveal documents that a viewer may not see. */
const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerCrawlRoutes(
  app: FastifyInstance,
  { access, crawls }: CrawlRoutesDeps,
): void {
  const spaceOf = (caller: Caller, spaceId: string) => access.space(caller, spaceId, MAY_WRITE);

  route(app, createCrawl, {
    caller: (request) => access.caller(request),
    handlerRules: newCrawlIssues,
    replay: replayWith(access, MAY_WRITE),
    async handle({ caller, params, body, once }) {
      const space = await spaceOf(caller, params.spaceId);
      const { spaceId } = space;
      const stored = once.store((crawl: Crawl) => ({ spaceId, response: created(crawl) }));
      return created(await crawls.create(space, body, stored));
    },
  });
  route(app, listCrawls, {
    caller: access.caller,
    async handle({ caller, params, query }) {
      const space = await spaceOf(caller, params.spaceId);
      return { status: 200, body: await crawls.list(space, query) };
    },
  });
  route(app, showCrawl, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await spaceOf(caller, params.spaceId);
      return { status: 200, body: await crawls.show(space, params.crawlId) };
    },
  });
  route(app, changeCrawl, {
    caller: access.caller,
    handlerRules: crawlChangeIssues,
    async handle({ caller, params, body }) {
      const space = await spaceOf(caller, params.spaceId);
      return { status: 200, body: await crawls.change(space, params.crawlId, body) };
    },
  });
  route(app, deleteCrawl, {
    caller: access.caller,
    async handle({ caller, params }) {
      await crawls.remove(await spaceOf(caller, params.spaceId), params.crawlId);
      return { status: 204 };
    },
  });
  route(app, startCrawl, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await spaceOf(caller, params.spaceId);
      return { status: 202, body: await crawls.start(space, params.crawlId) };
    },
  });
  route(app, stopCrawl, {
    caller: access.caller,
    async handle({ caller, params }) {
      const space = await spaceOf(caller, params.spaceId);
      return { status: 200, body: await crawls.stop(space, params.crawlId) };
    },
  });
  route(app, listCrawlPages, {
    caller: access.caller,
    async handle({ caller, params, query }) {
      const space = await spaceOf(caller, params.spaceId);
      return { status: 200, body: await crawls.pages(space, params.crawlId, query) };
    },
  });
}

function created(crawl: Crawl) {
  const location = `/spaces/${crawl.spaceId}/crawls/${crawl.id}`;
  return { status: 201, body: crawl, headers: { location } } as const;
}
