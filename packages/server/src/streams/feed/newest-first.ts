import type { EventPage, EventQuery, EventStore, StoredEvent } from '../../storage/ports/index.ts';

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
export async function readNewestFirst(store: EventStore, query: EventQuery): Promise<EventPage> {
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
