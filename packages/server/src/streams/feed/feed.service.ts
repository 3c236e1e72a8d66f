import type { Access, Caller } from '../../identity/index.ts';
import type { EventPage, EventQuery, EventStore } from '../../storage/ports/index.ts';
import { invalidQuery, spaceMissing } from './feed.errors.ts';
import { positionOf, toCursor, toItem } from './feed.rules.ts';
import { readNewestFirst } from './newest-first.ts';

export interface FeedQuery {
  readonly spaceId?: string;
  readonly limit?: number;
  readonly after?: string;
  readonly type?: string;
  readonly source?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly order?: 'oldest' | 'newest';
}

const DEFAULT_LIMIT = 50;

export interface FeedDeps {
  readonly access: Access;
  readonly store: EventStore;
}

/**
 * Creates the feed: a function that returns one page as JSON text. Events are embedded as the original text, because parsing and
 * serialising could change them. Throws `ApiError` 400 and 403.
 */
export function createFeed(deps: FeedDeps): (caller: Caller, query: FeedQuery) => Promise<string> {
  return async (caller, query) => {
    const spaceId = await mayRead(deps.access, caller, query.spaceId);
    const { store } = deps;
    const read = toEventQuery(spaceId, query);
    if (query.order !== 'newest') {
      const page = await store.read(read);
      return toText(page, page.through);
    }
    // Read before the page, so that `resume` skips no event.
    const newest = await store.newest(spaceId);
    return toText(await readNewestFirst(store, read), newest);
  };
}

/**
 * Returns the ID of the space whose events the caller may read: the named space, or the space of the caller's API key. Throws `ApiError`
 * 400 and 403.
 */
export async function mayRead(
  access: Access,
  caller: Caller,
  named: string | undefined,
): Promise<string> {
  const requested = named ?? (caller.kind === 'key' ? caller.spaceId : undefined);
  if (requested === undefined) throw spaceMissing();
  return (await access.space(caller, requested, { role: 'viewer', scope: 'read' })).spaceId;
}

function toEventQuery(spaceId: string, query: FeedQuery): EventQuery {
  const { type, source, subject } = query;
  return {
    spaceId,
    after: positionOf(query.after),
    limit: query.limit ?? DEFAULT_LIMIT,
    ...(type === undefined ? {} : { type }),
    ...(source === undefined ? {} : { source }),
    ...(subject === undefined ? {} : { subject }),
    ...(query.from === undefined ? {} : { from: toMilliseconds('from', query.from) }),
    ...(query.to === undefined ? {} : { to: toMilliseconds('to', query.to) }),
  };
}

function toMilliseconds(name: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw invalidQuery(`${name}: must be a time such as 2026-10-18T09:30:00Z`);
  return time;
}

/** @param newest position of the `resume` cursor. 0: the space has never had an event. */
function toText(page: EventPage, newest: number): string {
  const items = page.events.map(toItem);
  const next = page.more ? `"${toCursor(page.through)}"` : 'null';
  const resume = newest === 0 ? 'null' : `"${toCursor(newest)}"`;
  return `{"items":[${items.join(',')}],"next":${next},"resume":${resume}}`;
}
