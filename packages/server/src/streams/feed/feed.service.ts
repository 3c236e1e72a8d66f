import type { Access, Caller } from '../../identity/index.ts';
import type { EventPage, EventQuery, EventStore, StoredEvent } from '../../storage/ports/index.ts';
import { spaceMissing } from './feed.errors.ts';
import { positionOf, toCursor, toItem } from './feed.rules.ts';

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
    ...(query.from === undefined ? {} : { from: Date.parse(query.from) }),
    ...(query.to === undefined ? {} : { to: Date.parse(query.to) }),
  };
}

/** @param newest position of the `resume` cursor. 0: the space has never had an event. */
function toText(page: EventPage, newest: number): string {
  const items = page.events.map(toItem);
  const next = page.more ? `"${toCursor(page.through)}"` : 'null';
  const resume = newest === 0 ? 'null' : `"${toCursor(newest)}"`;
  return `{"items":[${items.join(',')}],"next":${next},"resume":${resume}}`;
}

/** Number of positions that a page with conditions examines at a time. */
const WINDOW = 2_000;
/** Maximum number of positions that a page examines. A search for rare events returns several short pages. */
const MAX_EXAMINED = 20_000;
/** Tolerance in milliseconds for times of receipt that do not increase with the position, because the clocks of replicas differ. */
const CLOCK_SKEW_MS = 60_000;
const PAGE = 200;

/**
 * Reads a page of events, newest first. The log is read in windows, from its end to its start.
 *
 * @param query `after` is the position before which the page starts. 0 starts with the newest event.
 * @returns `through` is the value of `after` for the next page.
 */
async function readNewestFirst(store: EventStore, query: EventQuery): Promise<EventPage> {
  const { spaceId, limit, from, to } = query;
  const { type, source, subject } = query;
  let end = query.after === 0 ? (await store.newest(spaceId)) + 1 : query.after;
  if (to !== undefined) end = await firstSince(store, spaceId, to + CLOCK_SKEW_MS, end);
  const since = from === undefined ? 0 : from - CLOCK_SKEW_MS;
  const start = await firstSince(store, spaceId, since, end);
  const isFiltered = [type, source, subject, from, to].some((value) => value !== undefined);
  const size = isFiltered ? WINDOW : limit;
  const events: StoredEvent[] = [];
  let examined = 0;
  while (end > start && events.length < limit && examined < MAX_EXAMINED) {
    const first = Math.max(start, end - size);
    const { found, isCut } = await readRange(
      store,
      { ...query, after: first - 1, before: end, limit: Math.min(size, PAGE) },
      limit - events.length,
    );
    examined += end - first;
    end = isCut ? (found[0]?.position ?? first) : first;
    events.push(...found.reverse());
  }
  return { events, through: end, more: end > start };
}

/** Returns the newest `keep` matching events of a range, oldest first. `isCut`: the range has more matching events. */
async function readRange(
  store: EventStore,
  query: EventQuery & { readonly before: number },
  keep: number,
): Promise<{ found: StoredEvent[]; isCut: boolean }> {
  let found: StoredEvent[] = [];
  let isCut = false;
  for (let { after } = query; ; ) {
    const page = await store.read({ ...query, after });
    found.push(...page.events);
    isCut ||= found.length > keep;
    found = found.slice(-keep);
    if (!page.more || page.through >= query.before - 1) return { found, isCut };
    after = page.through;
  }
}

/** Returns the position of the first event that was received at a time or later, or `end` if no event before `end` was. */
async function firstSince(
  store: EventStore,
  spaceId: string,
  time: number,
  end: number,
): Promise<number> {
  let low = 1;
  // Without a time, the result is the oldest stored event.
  let high = time <= 0 ? 1 : end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await firstAfter(store, spaceId, middle - 1);
    if (event === undefined || event.position >= high || event.receivedAt >= time) high = middle;
    else low = event.position + 1;
  }
  // Retention may have removed the event at this position.
  return Math.min((await firstAfter(store, spaceId, high - 1))?.position ?? end, end);
}

async function firstAfter(store: EventStore, spaceId: string, after: number) {
  const { events } = await store.read({ spaceId, after, limit: 1 });
  return events[0];
}
