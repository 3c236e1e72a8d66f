import Type from 'typebox';
import { EXAMPLE_TIME, ListOf, ListQuery, SpaceParams, Uuid } from '../common.ts';
import { errorOf, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import {
  Crawl,
  CrawlChange,
  CrawlPage,
  CrawlPageResult,
  exampleCrawl,
  exampleCrawlDefinition,
  NewCrawl,
} from './crawl-fields.ts';

export const CrawlList = ListOf(Crawl);
export const CrawlPageList = ListOf(CrawlPage);

const CrawlParams = Type.Object({
  ...SpaceParams.properties,
  crawlId: Uuid('ID of the crawl.'),
});

const onCollection = {
  feature: 'knowledge',
  path: '/spaces/{spaceId}/crawls',
  params: SpaceParams,
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
} as const;

const onCrawl = {
  ...onCollection,
  path: '/spaces/{spaceId}/crawls/{crawlId}',
  params: CrawlParams,
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: errorOf('knowledge.no-crawl', 'No crawl with this ID exists in this space.'),
  },
} as const;

const running = {
  ...exampleCrawl,
  state: 'running' as const,
  run: {
    ...exampleCrawl.run,
    endedAt: null,
    outcome: null,
    failure: null,
    bytes: 0,
    removed: 0,
    startedAt: EXAMPLE_TIME,
  },
};

export const createCrawl = operation({
  ...onCollection,
  id: 'createCrawl',
  method: 'POST',
  idempotent: true,
  summary: 'Crawl a site',
  description:
    'Reads the pages of one host, follows `robots.txt`, and sends document events for new, changed and removed pages. The first run starts immediately. Private addresses are rejected unless the operator allows them with `GATEHOUSE_DELIVERY_ALLOW`. A space has at most 20 crawls.',
  body: NewCrawl,
  bodyExample: exampleCrawlDefinition,
  responses: {
    201: {
      description: 'The created crawl.',
      schema: Crawl,
      example: running,
      headers: { Location: { description: 'Path of the crawl.', schema: Type.String() } },
    },
  },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: errorOf(
      'knowledge.too-many-crawls',
      'A space can have at most 20 crawls; delete one first.',
    ),
  },
});

export const listCrawls = operation({
  ...onCollection,
  id: 'listCrawls',
  method: 'GET',
  summary: 'List crawls',
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Crawls, oldest first.', CrawlList, [exampleCrawl]),
  },
  errors: [400, 401, 403],
});

export const showCrawl = operation({
  ...onCrawl,
  id: 'showCrawl',
  method: 'GET',
  summary: 'Get a crawl and its progress',
  responses: { 200: { description: 'The crawl.', schema: Crawl, example: exampleCrawl } },
});

export const changeCrawl = operation({
  ...onCrawl,
  id: 'changeCrawl',
  method: 'PATCH',
  summary: 'Change a crawl',
  description:
    'Omitted members keep their values. A run in progress starts again with the changed definition. Otherwise the change takes effect with the next run, which also sends the pages whose metadata has changed.',
  body: CrawlChange,
  bodyExample: { everyHours: 12 },
  responses: { 200: { description: 'The crawl.', schema: Crawl, example: exampleCrawl } },
});

export const deleteCrawl = operation({
  ...onCrawl,
  id: 'deleteCrawl',
  method: 'DELETE',
  summary: 'Delete a crawl with its documents',
  description:
    'The documents are hidden at once, and removed in the background, with one event per document.',
  responses: { 204: { description: 'The crawl was deleted.' } },
});

export const startCrawl = operation({
  ...onCrawl,
  id: 'startCrawl',
  method: 'POST',
  path: '/spaces/{spaceId}/crawls/{crawlId}/start',
  summary: 'Start a run of a crawl',
  description: 'Has no effect while a run is in progress.',
  responses: { 202: { description: 'The crawl.', schema: Crawl, example: running } },
});

export const stopCrawl = operation({
  ...onCrawl,
  id: 'stopCrawl',
  method: 'POST',
  path: '/spaces/{spaceId}/crawls/{crawlId}/stop',
  summary: 'Stop the run of a crawl',
  description: 'Removes nothing. The schedule continues. Has no effect if no run is in progress.',
  responses: { 200: { description: 'The crawl.', schema: Crawl, example: exampleCrawl } },
});

export const listCrawlPages = operation({
  ...onCrawl,
  id: 'listCrawlPages',
  method: 'GET',
  path: '/spaces/{spaceId}/crawls/{crawlId}/pages',
  summary: 'List the pages of a crawl',
  query: Type.Object({
    limit: ListQuery.limit,
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'Cursor from `next` of the previous page. Omitted: the first page.',
      }),
    ),
    result: Type.Optional(CrawlPageResult),
  }),
  responses: {
    200: jsonPage('Pages, ordered by URL.', CrawlPageList, [
      {
        url: 'https://shop.example/help/old',
        result: 'failed',
        reason: 'the site answered with status 500',
        status: 500,
        fetchedAt: EXAMPLE_TIME,
      },
    ]),
  },
});
