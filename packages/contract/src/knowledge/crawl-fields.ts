import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  Int,
  Nullable,
  OneOf,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { Metadata } from './document-fields.ts';

export const MAX_CRAWLS = 20;
const MAX_CRAWL_PAGES = 50_000;
/** Maximum number of patterns in a member of a crawl. */
export const MAX_CRAWL_PATTERNS = 100;
/** Maximum length of the URL of a page. Links to longer URLs are ignored. */
export const MAX_PAGE_URL_LENGTH = 900;
/** Maximum size of a page in bytes. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const GIBIBYTE = 1024 * 1024 * 1024;

const Url = (description: string) =>
  Text({ description, minLength: 1, maxLength: MAX_PAGE_URL_LENGTH });
const Pattern = Text({
  description:
    'Path and query of a URL, which start with `/`. `*` matches any run of characters. Examples: `/docs/*`, `/blog/*/print`.',
  minLength: 1,
  maxLength: 500,
});
const Patterns = (description: string) =>
  Type.Array(Pattern, { maxItems: MAX_CRAWL_PATTERNS, description });

const members = {
  name: Text({ description: 'Name of the crawl.', minLength: 1, maxLength: 100 }),
  include: Patterns(
    'Patterns of the pages to crawl. Empty: all pages of the host. The start page is read for its links even if no pattern matches.',
  ),
  exclude: Patterns('Patterns of the pages not to crawl. They take precedence over `include`.'),
  metadata: Type.Array(
    Body({ pattern: Pattern, metadata: Metadata }, { description: 'Metadata of some pages.' }),
    {
      maxItems: MAX_CRAWL_PATTERNS,
      description:
        'Metadata by URL. The first pattern that matches the canonical URL of a page decides; its metadata replaces `defaultMetadata`.',
    },
  ),
  defaultMetadata: Metadata,
  everyHours: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 744,
      description:
        'Hours between the starts of two runs. `null`: the crawl runs only when it is started.',
    }),
  ),
  maxPages: Type.Integer({
    minimum: 1,
    maximum: MAX_CRAWL_PAGES,
    description: 'Maximum number of URLs per run. Default 1,000.',
  }),
  maxDepth: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      'Maximum number of links between the start page and a page. Default 20. Has no effect on a sitemap, whose pages are not searched for links.',
  }),
  maxBytes: Type.Integer({
    minimum: 1,
    maximum: 100 * GIBIBYTE,
    description: 'Maximum bytes that a run receives. Default 1,073,741,824.',
  }),
  delayMs: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    description:
      'Milliseconds between two requests. Default 1,000. A longer `Crawl-delay` in `robots.txt` takes precedence, up to 60 seconds.',
  }),
};

export const NewCrawl = Body(
  {
    name: members.name,
    startUrl: Type.Optional(
      Url(
        'Absolute URL of the first page. The crawl follows links on the same host. Exactly one of `startUrl` and `sitemapUrl` is required.',
      ),
    ),
    sitemapUrl: Type.Optional(
      Url(
        'Absolute URL of a sitemap or a sitemap index. The crawl reads the listed pages of the same host.',
      ),
    ),
    include: Type.Optional(members.include),
    exclude: Type.Optional(members.exclude),
    metadata: Type.Optional(members.metadata),
    defaultMetadata: members.defaultMetadata,
    everyHours: Type.Optional(members.everyHours),
    maxPages: Type.Optional(members.maxPages),
    maxDepth: Type.Optional(members.maxDepth),
    maxBytes: Type.Optional(members.maxBytes),
    delayMs: Type.Optional(members.delayMs),
  },
  {
    description:
      '`defaultMetadata` is required, because it decides who sees the pages that no pattern in `metadata` matches.',
  },
);
export type NewCrawl = Type.Static<typeof NewCrawl>;

export const CrawlChange = Type.Partial(Type.Object(members), {
  description: 'Requires at least one member. Omitted members keep their values.',
  additionalProperties: false,
});
export type CrawlChange = Type.Static<typeof CrawlChange>;

export const CrawlRun = Type.Object({
  startedAt: Timestamp('Start of the run.'),
  endedAt: Nullable(Timestamp('End of the run. `null` while it runs.')),
  outcome: Nullable(
    OneOf(
      ['complete', 'limited', 'stopped', 'failed'],
      '`complete`: every page was visited. `limited`: `maxPages`, `maxBytes` or the limit of sitemap entries was reached; pages that are no longer linked were not removed. `stopped`: a person stopped the run. `failed`: the start page, the sitemap or `robots.txt` could not be read; nothing was removed. `null` while it runs.',
    ),
  ),
  failure: Nullable(Str('Reason for the outcome `failed`.')),
  bytes: Int('Bytes received from the site.'),
  removed: Int('Number of documents that were removed.'),
});
export type CrawlRun = Type.Static<typeof CrawlRun>;

export const Crawl = Type.Object({
  id: Uuid('ID of the crawl.'),
  spaceId: Uuid('ID of the space.'),
  startUrl: Nullable(Str('URL of the first page, in its canonical form.')),
  sitemapUrl: Nullable(Str('URL of the sitemap.')),
  ...members,
  state: OneOf(['idle', 'running'], 'Whether a run is in progress.'),
  run: Nullable(CrawlRun),
  pages: Type.Object(
    {
      queued: Int('URLs that are not visited yet.'),
      sent: Int('New and changed pages.'),
      unchanged: Int('Pages that have not changed since the run before.'),
      alias: Int('URLs that redirect or declare another canonical URL.'),
      excluded: Int('Pages that `robots.txt`, `noindex` or the patterns exclude.'),
      gone: Int('Pages that the site answered with 404 or 410.'),
      failed: Int('Pages that could not be read. Their documents are kept.'),
    },
    { description: 'Progress of the current run, or result of the last run.' },
  ),
  documents: Int('Number of documents of the crawl.'),
  nextRunAt: Nullable(Timestamp('Time of the next scheduled run.')),
  createdAt: Timestamp('Time of creation.'),
  updatedAt: Timestamp('Time of the last change of the definition.'),
});
export type Crawl = Type.Static<typeof Crawl>;

export const CrawlPageResult = OneOf(
  ['sent', 'unchanged', 'alias', 'excluded', 'gone', 'failed'],
  'Result of the last visit; see `pages` of the crawl.',
);
export type CrawlPageResult = Type.Static<typeof CrawlPageResult>;

export const CrawlPage = Type.Object({
  url: Str('Canonical URL of the page.'),
  result: Nullable(CrawlPageResult),
  reason: Nullable(Str('Why the page is not a document, or why it failed.')),
  status: Nullable(Int('HTTP status of the last response.')),
  fetchedAt: Nullable(Timestamp('Time of the last visit.')),
});
export type CrawlPage = Type.Static<typeof CrawlPage>;

export const exampleCrawlDefinition: NewCrawl = {
  name: 'Help pages',
  startUrl: 'https://shop.example/help/',
  include: ['/help/*'],
  exclude: ['/help/*/print'],
  metadata: [{ pattern: '/help/staff/*', metadata: { audience: ['staff'] } }],
  defaultMetadata: { audience: ['customer', 'staff'] },
  everyHours: 24,
};

export const exampleCrawl: Crawl = {
  id: '0199f3a2-d6e2-7f53-9ba1-7c204d8e3f69',
  spaceId: EXAMPLE_SPACE_ID,
  name: 'Help pages',
  startUrl: 'https://shop.example/help/',
  sitemapUrl: null,
  include: ['/help/*'],
  exclude: ['/help/*/print'],
  metadata: [{ pattern: '/help/staff/*', metadata: { audience: ['staff'] } }],
  defaultMetadata: { audience: ['customer', 'staff'] },
  everyHours: 24,
  maxPages: 1000,
  maxDepth: 20,
  maxBytes: GIBIBYTE,
  delayMs: 1000,
  state: 'idle',
  run: {
    startedAt: EXAMPLE_TIME,
    endedAt: EXAMPLE_TIME,
    outcome: 'complete',
    failure: null,
    bytes: 1_840_220,
    removed: 2,
  },
  pages: { queued: 0, sent: 3, unchanged: 118, alias: 4, excluded: 1, gone: 2, failed: 1 },
  documents: 121,
  nextRunAt: EXAMPLE_TIME,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};
