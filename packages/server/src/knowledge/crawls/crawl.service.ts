import { randomUUIDv7 } from 'node:crypto';
import type { Crawl, CrawlChange, CrawlPage, CrawlPageResult, NewCrawl } from '@gatehouse/contract';
import {
  type ListRequest,
  type Page,
  readCursor,
  readLimit,
  readTextCursor,
  toPage,
} from '../../http/index.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { parse } from '../../lib/json/index.ts';
import { type Clock, toTime } from '../../lib/scheduling/index.ts';
import type { JoinedWrites, KnowledgeEngine } from '../../storage/ports/index.ts';
import { invalid, spaceGone } from '../documents/document.errors.ts';
import { noSuchCrawl, tooManyCrawls } from './crawl.errors.ts';
import { createCrawlRepository, type StoredCrawl, startedColumns } from './crawl.repository.ts';
import {
  createCrawlPageRepository,
  type PageCounts,
  type StoredPage,
} from './crawl-page.repository.ts';
import {
  crawlChangeIssues,
  type Definition,
  newCrawlIssues,
  toDefinition,
} from './definition.rules.ts';
import { toProgress, toRun } from './progress.rules.ts';

/** Canonical URLs consist of printable ASCII characters. */
const PAGE_URL = /^https?:\/\/[!-~]{1,900}$/;

/** Crawls of a space. Methods with an ID throw 404 `knowledge.no-crawl`. */
export interface Crawls {
  /** Creates a crawl and starts its first run. Throws 409 if the space has too many crawls. */
  create(space: SpaceAccess, sent: NewCrawl, joined: JoinedWrites<Crawl>): Promise<Crawl>;
  list(space: SpaceAccess, request: ListRequest): Promise<Page<Crawl>>;
  show(space: SpaceAccess, id: string): Promise<Crawl>;
  /** Starts a run in progress again, so that every page gets the changed metadata. */
  change(space: SpaceAccess, id: string, change: CrawlChange): Promise<Crawl>;
  start(space: SpaceAccess, id: string): Promise<Crawl>;
  stop(space: SpaceAccess, id: string): Promise<Crawl>;
  /** Removes the crawl and, in the background, its documents. */
  remove(space: SpaceAccess, id: string): Promise<void>;
  pages(
    space: SpaceAccess,
    id: string,
    request: ListRequest & { readonly result?: CrawlPageResult },
  ): Promise<Page<CrawlPage>>;
}

export interface CrawlsDeps {
  readonly engine: KnowledgeEngine;
  readonly clock: Clock;
  /** Called after a crawl has changed, with `<space id> <crawl id>`. */
  readonly onChanged: (key: string) => void;
}

export function createCrawls({ engine, clock, onChanged }: CrawlsDeps): Crawls {
  const crawls = createCrawlRepository(engine.db);
  const pages = createCrawlPageRepository(engine.db);

  async function find({ spaceId }: SpaceAccess, id: string): Promise<StoredCrawl> {
    const row = await crawls.find(spaceId, id.toLowerCase());
    if (row === undefined) throw noSuchCrawl();
    return row;
  }
  const shown = async (row: StoredCrawl) => toCrawl(row, await pages.counts(row));
  const show = async (space: SpaceAccess, id: string) => shown(await find(space, id));

  async function update(
    space: SpaceAccess,
    id: string,
    ...[fact, columnsFor]: UpdateArguments
  ): Promise<void> {
    const key = { spaceId: space.spaceId, id: id.toLowerCase() };
    if (!(await crawls.update(key, fact, columnsFor))) throw noSuchCrawl();
    onChanged(`${key.spaceId} ${key.id}`);
  }

  return {
    async create({ spaceId }, sent, joined) {
      const issues = newCrawlIssues(sent);
      if (issues.length > 0) throw invalid(issues);
      const time = clock();
      const definition = toDefinition(sent);
      const row: StoredCrawl = {
        space_id: spaceId,
        id: randomUUIDv7(),
        definition: JSON.stringify(definition),
        revision: 1,
        created_at: time,
        updated_at: time,
        ...startedColumns({ run: 0 }, definition.everyHours, time),
      };
      const crawl = toCrawl(row, { results: new Map(), documents: 0 });
      const result = await crawls.insert(row, joined(crawl));
      if (result === 'no-space') throw spaceGone();
      if (result === 'too-many') throw tooManyCrawls();
      onChanged(`${spaceId} ${row.id}`);
      return crawl;
    },
    async list({ spaceId }, { limit, after }) {
      const count = readLimit(limit);
      const rows = await crawls.list(spaceId, readCursor(after), count + 1);
      const { items, next } = toPage(rows, count, (row) => row.id);
      return { items: await Promise.all(items.map(shown)), next };
    },
    show,
    async change(space, id, change) {
      const issues = crawlChangeIssues(change);
      if (issues.length > 0) throw invalid(issues);
      await update(space, id, 'changed', (row) => {
        const before = parse(row.definition) as Definition;
        const definition: Definition = { ...before, ...change };
        const { everyHours } = definition;
        const now = clock();
        return {
          definition: JSON.stringify(definition),
          updated_at: now,
          ...(everyHours === before.everyHours
            ? {}
            : { next_run_at: everyHours === null ? null : now + everyHours * 3_600_000 }),
          ...(row.state === 'running' ? startedColumns(row, everyHours, now) : {}),
        };
      });
      return show(space, id);
    },
    async start(space, id) {
      await update(space, id, 'started', (row) => {
        const { everyHours } = parse(row.definition) as Definition;
        return row.state === 'running' ? null : startedColumns(row, everyHours, clock());
      });
      return show(space, id);
    },
    async stop(space, id) {
      await update(space, id, 'stopped', (row) => {
        const progress = toProgress(row.progress);
        if (row.state !== 'running' || progress === null) return null;
        const stopped = { ...progress, outcome: 'stopped', endedAt: clock() };
        return { state: 'idle', progress: JSON.stringify(stopped) };
      });
      return show(space, id);
    },
    remove: (space, id) => update(space, id, 'deleted', () => ({ state: 'deleting' })),
    async pages(space, id, { limit, after, result }) {
      const row = await find(space, id);
      const count = readLimit(limit);
      const found = await pages.list(row, {
        after: readTextCursor(after, PAGE_URL),
        result,
        count: count + 1,
      });
      return toPage(found, count, ({ url }) => url, toCrawlPage);
    },
  };
}

type Update = ReturnType<typeof createCrawlRepository>['update'];
type UpdateArguments = [fact: Parameters<Update>[1], columnsFor: Parameters<Update>[2]];

function toCrawl(row: StoredCrawl, { results, documents }: PageCounts): Crawl {
  const definition = parse(row.definition) as Definition;
  const progress = toProgress(row.progress);
  const count = (name: CrawlPageResult | 'queued') => results.get(name) ?? 0;
  return {
    id: row.id,
    spaceId: row.space_id,
    ...definition,
    state: row.state === 'running' ? 'running' : 'idle',
    run: progress === null ? null : toRun(progress),
    pages: {
      queued: count('queued'),
      sent: count('sent'),
      unchanged: count('unchanged'),
      alias: count('alias'),
      excluded: count('excluded'),
      gone: count('gone'),
      failed: count('failed'),
    },
    documents,
    nextRunAt: toTime(row.next_run_at),
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}

function toCrawlPage(row: StoredPage): CrawlPage {
  return {
    url: row.url,
    result: row.result,
    reason: row.reason,
    status: row.status,
    fetchedAt: toTime(row.fetched_at),
  };
}
