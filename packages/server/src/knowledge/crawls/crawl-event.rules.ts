import { DOCUMENT_DELETED, DOCUMENT_UPSERTED } from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { type EventBatch, toEventBatch } from '../../storage/ports/index.ts';
import type { StoredCrawl } from './crawl.repository.ts';
import { digestOf } from './definition.rules.ts';

/** Returns the subject of the events about a page. Two crawls of the same page have different documents. */
export function subjectOf({ id }: Pick<StoredCrawl, 'id'>, url: string): string {
  return `crawl/${id}/${url}`;
}

/**
 * Returns the event that creates or replaces the document of a page. Its ID depends only on the run and the content, so that the log
 * stores the event once even if the page is read again after a crash.
 */
export function upsertedEvent(
  crawl: StoredCrawl,
  page: { readonly url: string; readonly digest: string; readonly data: JsonObject },
  now: number,
): EventBatch {
  const id = `${crawl.run}/${digestOf(page.url)}/${page.digest}`;
  return toBatch(crawl, now, [
    { id, type: DOCUMENT_UPSERTED, subject: subjectOf(crawl, page.url), data: page.data },
  ]);
}

/**
 * Returns the events that remove the documents of pages.
 *
 * @param pages `updatedAt` distinguishes documents that are created again after they were removed.
 */
export function deletedEvents(
  crawl: StoredCrawl,
  pages: readonly { readonly url: string; readonly updatedAt?: string }[],
  now: number,
): EventBatch {
  return toBatch(
    crawl,
    now,
    pages.map(({ url, updatedAt = '' }) => ({
      id: `${crawl.run}/${crawl.state === 'deleting' ? 'end' : 'vanished'}/${digestOf(url + updatedAt)}`,
      type: DOCUMENT_DELETED,
      subject: subjectOf(crawl, url),
    })),
  );
}

interface CrawlEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data?: JsonObject;
}

function toBatch(
  { space_id: spaceId, id }: StoredCrawl,
  receivedAt: number,
  events: readonly CrawlEvent[],
): EventBatch {
  const source = `urn:gatehouse:crawl:${id}`;
  const time = new Date(receivedAt).toISOString();
  const attributes = { specversion: '1.0', source, time, datacontenttype: 'application/json' };
  return {
    ...toEventBatch(
      events.map((event) => ({ ...attributes, ...event })),
      { spaceId, source, receivedAt },
    ),
    feedsKnowledge: true,
  };
}
