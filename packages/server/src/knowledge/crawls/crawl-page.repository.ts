import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { CrawlPageResult } from '@gatehouse/contract';
import { type Selectable, sql } from 'kysely';
import type { CrawlPageRow, KnowledgeDatabase } from '../../storage/ports/index.ts';
import type { StoredCrawl } from './crawl.repository.ts';

export type StoredPage = Selectable<CrawlPageRow>;
type PageUpdate = Partial<Omit<StoredPage, 'space_id' | 'crawl_id' | 'url'>>;

export interface PageCounts {
  readonly results: ReadonlyMap<CrawlPageResult | 'queued', number>;
  readonly documents: number;
}

const ROWS_PER_STATEMENT = 50;

/** Creates the repository of the URLs that crawls have found. */
export function createCrawlPageRepository(db: KnowledgeDatabase) {
  const ofCrawl = ({ space_id, id }: Pick<StoredCrawl, 'space_id' | 'id'>) =>
    db.selectFrom('crawl_pages').where('space_id', '=', space_id).where('crawl_id', '=', id);

  return {
    /**
     * Returns the queued page that is closest to the start page and whose next attempt is due.
     *
     * @param longestMs the longest delay of an attempt in milliseconds. A later attempt was scheduled before the clock was set back, so it is
     * due too.
     */
    next: (crawl: StoredCrawl, now: number, longestMs: number): Promise<StoredPage | undefined> =>
      ofCrawl(crawl)
        .selectAll()
        .where('run', '=', crawl.run)
        .where('result', 'is', null)
        .where((where) =>
          where.or([where('due_at', '<=', now), where('due_at', '>', now + longestMs)]),
        )
        .orderBy('depth')
        .orderBy('url')
        .limit(1)
        .executeTakeFirst(),

    /** Returns the earliest time of a queued page, or null if no page is queued. */
    async earliest(crawl: StoredCrawl): Promise<number | null> {
      const row = await ofCrawl(crawl)
        .where('run', '=', crawl.run)
        .where('result', 'is', null)
        .select(({ fn }) => fn.min('due_at').as('due'))
        .executeTakeFirst();
      return row?.due === null || row?.due === undefined ? null : Number(row.due);
    },

    /** Returns the URLs that the current run has found. */
    async found(crawl: StoredCrawl): Promise<string[]> {
      const rows = await ofCrawl(crawl).where('run', '=', crawl.run).select('url').execute();
      return rows.map(({ url }) => url);
    },

    /** Returns at most `limit` pages whose documents must be removed at the end of a run. */
    vanished: (
      crawl: StoredCrawl,
      isComplete: boolean,
      limit: number,
    ): Promise<Pick<StoredPage, 'url'>[]> =>
      ofCrawl(crawl)
        .select('url')
        .where('has_document', '=', 1)
        .where((where) =>
          where.or([
            where.and([
              where('run', '=', crawl.run),
              where('result', 'in', ['gone', 'excluded', 'alias']),
            ]),
            ...(isComplete ? [where('run', '<', crawl.run)] : []),
          ]),
        )
        .limit(limit)
        .execute(),

    /** Returns the pages with a document after a URL, in the order of their URLs. */
    withDocument: (
      crawl: StoredCrawl,
      after: string,
      limit: number,
    ): Promise<Pick<StoredPage, 'url' | 'properties'>[]> =>
      ofCrawl(crawl)
        .select(['url', 'properties'])
        .where('has_document', '=', 1)
        .where('url', '>', after)
        .orderBy('url')
        .limit(limit)
        .execute(),

    /** Reports whether the knowledge contains the document of a subject. */
    async hasDocument(spaceId: string, subject: string): Promise<boolean> {
      const row = await db
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .where('subject', '=', subject)
        .select('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns at most `limit` documents whose subjects start with the prefix of a crawl's subjects, which ends with `/`. */
    async documentsWith(
      { space_id, id }: StoredCrawl,
      prefix: string,
      limit: number,
    ): Promise<{ readonly url: string; readonly updatedAt: string; readonly isPage: boolean }[]> {
      const rows = await db
        .selectFrom('documents')
        .leftJoin('crawl_pages', (join) =>
          join
            .onRef('crawl_pages.space_id', '=', 'documents.space_id')
            .on('crawl_pages.crawl_id', '=', id)
            .on(
              'crawl_pages.url',
              '=',
              sql<string>`substr(documents.subject, ${prefix.length + 1})`,
            ),
        )
        .where('documents.space_id', '=', space_id)
        .where('documents.subject', '>=', prefix)
        // The character after `/`.
        .where('documents.subject', '<', `${prefix.slice(0, -1)}0`)
        .orderBy('documents.subject')
        .limit(limit)
        .select(['documents.subject', 'documents.updated_at', 'crawl_pages.url'])
        .execute();
      return rows.map(({ subject, updated_at, url }) => ({
        url: (subject ?? '').slice(prefix.length),
        updatedAt: updated_at,
        isPage: url !== null,
      }));
    },

    async counts(crawl: Pick<StoredCrawl, 'space_id' | 'id' | 'run'>): Promise<PageCounts> {
      const rows = await ofCrawl(crawl)
        .select(['run', 'result', 'has_document'])
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .groupBy(['run', 'result', 'has_document'])
        .execute();
      const results = new Map<CrawlPageResult | 'queued', number>();
      let documents = 0;
      for (const { run, result, has_document, count } of rows) {
        const name = result ?? 'queued';
        if (run === crawl.run) results.set(name, (results.get(name) ?? 0) + Number(count));
        if (has_document === 1) documents += Number(count);
      }
      return { results, documents };
    },

    list(
      crawl: StoredCrawl,
      {
        after,
        result,
        count,
      }: { after: string | null; result?: CrawlPageResult | undefined; count: number },
    ): Promise<StoredPage[]> {
      let query = ofCrawl(crawl).selectAll().where('run', '=', crawl.run);
      if (after !== null) query = query.where('url', '>', after);
      if (result !== undefined) query = query.where('result', '=', result);
      return query.orderBy('url').limit(count).execute();
    },
  };
}

/** Queues URLs for the current run. URLs that the run has found already keep their state. */
export async function queuePages(
  trx: KnowledgeDatabase,
  { space_id, id: crawl_id, run }: StoredCrawl,
  depth: number,
  urls: readonly string[],
): Promise<void> {
  for (let at = 0; at < urls.length; at += ROWS_PER_STATEMENT)
    await trx
      .insertInto('crawl_pages')
      .values(
        urls
          .slice(at, at + ROWS_PER_STATEMENT)
          .map((url) => ({ ...NEW_PAGE, space_id, crawl_id, url, run, depth })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['space_id', 'crawl_id', 'url'])
          .doUpdateSet({ run, depth, result: null, reason: null, attempts: 0, due_at: 0 })
          .where('crawl_pages.run', '<', run),
      )
      .execute();
}

const NEW_PAGE = {
  result: null,
  reason: null,
  status: null,
  digest: null,
  properties: null,
  etag: null,
  last_modified: null,
  links: null,
  fetched_at: null,
} as const;

export async function updatePages(
  trx: KnowledgeDatabase,
  { space_id, id }: StoredCrawl,
  urls: readonly string[],
  columns: PageUpdate,
): Promise<void> {
  await trx
    .updateTable('crawl_pages')
    .set(columns)
    .where('space_id', '=', space_id)
    .where('crawl_id', '=', id)
    .where('url', 'in', [...urls])
    .execute();
}

/** Deletes the pages that the current run has not found. */
export async function deleteOldPages(
  trx: KnowledgeDatabase,
  { space_id, id, run }: StoredCrawl,
): Promise<void> {
  await trx
    .deleteFrom('crawl_pages')
    .where('space_id', '=', space_id)
    .where('crawl_id', '=', id)
    .where('run', '<', run)
    .where('has_document', '=', 0)
    .execute();
}

/** The links of most pages of a site are similar, so compression saves most of their space. */
export function packLinks(links: readonly string[]): Uint8Array {
  return deflateRawSync(links.join('\n'));
}

export function unpackLinks(bytes: Uint8Array | null): string[] {
  if (bytes === null) return [];
  const text = inflateRawSync(bytes).toString();
  return text === '' ? [] : text.split('\n');
}
