import type { Access, Caller } from '../../identity/index.ts';
import type { EventPage, EventQuery, EventStore } from '../../storage/ports/index.ts';
import { invalidQuery, spaceMissing } from './feed.errors.ts';
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
}

const DEFAULT_LIMIT = 50;

/**
 * The feed of a space: `(caller, query)` → the JSON text of a page. The events in it are the bytes
 * that were sent, which no parsing and printing could give back. Throws `ApiError` 400 and 403.
 */
export function createFeed(deps: {
  readonly access: Access;
  readonly store: EventStore;
}): (caller: Caller, query: FeedQuery) => Promise<string> {
  return async (caller, query) => {
    const spaceId = await mayRead(deps.access, caller, query.spaceId);
    return toText(await deps.store.read(toEventQuery(spaceId, query)));
  };
}

/** The space whose events the caller reads: the one that is named, else the key's own. Throws `ApiError` 400 and 403. */
export async function mayRead(
  access: Access,
  caller: Caller,
  named: string | undefined,
): Promise<string> {
  const wanted = named ?? (caller.kind === 'key' ? caller.spaceId : undefined);
  if (wanted === undefined) throw spaceMissing();
  return (await access.space(caller, wanted, { role: 'viewer', scope: 'read' })).spaceId;
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

function toText(page: EventPage): string {
  const items = page.events.map(toItem);
  const next = page.more ? `"${toCursor(page.through)}"` : 'null';
  const resume = page.through === 0 ? 'null' : `"${toCursor(page.through)}"`;
  return `{"items":[${items.join(',')}],"next":${next},"resume":${resume}}`;
}
