import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { EventFilter, EventStore } from '../../storage/ports/index.ts';
import { Listener } from './listener.ts';
import { serviceStopping, tooManyInSpace, tooManyListeners } from './live.errors.ts';
import { LiveSpace } from './live-space.ts';

export interface Opening {
  readonly spaceId: string;
  /** Position after which events are sent. `null` sends only new events. */
  readonly after: number | null;
  readonly filter: EventFilter;
  /** Identifies the API key or session. Streams with the same credential share one check of their rights. */
  readonly credential: string;
  /** Rejects if the caller may no longer read the space, or if the right cannot be determined. */
  readonly requireRight: () => Promise<void>;
}

export interface ListenerLimits {
  readonly all: number;
  readonly inSpace: number;
}

export interface LiveDeps {
  readonly store: EventStore;
  readonly limits: ListenerLimits;
  /** Called for each listener that is disconnected because it reads too slowly. */
  readonly onDropped: () => void;
  readonly onFailure: (error: unknown) => void;
}

export interface Live {
  /** Opens a stream of server-sent events. Throws `ApiError` 429 or 503 if too many streams are open. */
  open(opening: Opening): Promise<Readable>;
  count(spaceId?: string): number;
  counts(): ReadonlyMap<string, number>;
  /** Ends all streams and rejects new ones. Clients that have not read to the end after two seconds are disconnected. */
  close(): void;
}

/** Interval in milliseconds between checks of the callers' rights. */
const CHECK_RIGHTS_MS = 1000;
/** Interval in milliseconds between checks for events without a notification. */
const CHECK_APPENDS_MS = 2000;
/** Time in milliseconds that clients have to read to the end when the service stops. */
const STOP_MS = 2000;
/** Number of rights to check before yielding to other work. */
const CHECKS_PER_ITERATION = 50;

export function createLive({ store, limits, onDropped, onFailure }: LiveDeps): Live {
  const spaces = new Map<string, LiveSpace>();
  const openings = new Map<Listener, Opening>();
  /** Listeners by space. A listener is counted before its stream is open, so that concurrent requests cannot exceed the limit. */
  const counts = new Map<string, number>();
  let all = 0;
  let closed = false;
  const timers = [
    repeat(endWithoutRight, CHECK_RIGHTS_MS, onFailure),
    repeat(checkForAppends, CHECK_APPENDS_MS, onFailure),
  ];
  const unsubscribe = store.onAppended((spaceId) => spaces.get(spaceId)?.wake());

  function admit(spaceId: string): void {
    if (closed) throw serviceStopping();
    if (all >= limits.all) throw tooManyListeners();
    const inSpace = counts.get(spaceId) ?? 0;
    if (inSpace >= limits.inSpace) throw tooManyInSpace();
    counts.set(spaceId, inSpace + 1);
    all += 1;
  }

  function leave(spaceId: string): void {
    const left = (counts.get(spaceId) ?? 1) - 1;
    if (left > 0) counts.set(spaceId, left);
    else counts.delete(spaceId);
    all -= 1;
  }

  function spaceOf(spaceId: string, newest: number): LiveSpace {
    const known = spaces.get(spaceId);
    if (known !== undefined) return known;
    const space = new LiveSpace({ store, spaceId, position: newest, onFailure });
    spaces.set(spaceId, space);
    return space;
  }

  function start(opening: Opening, newest: number): Listener {
    const { spaceId, filter } = opening;
    // A cursor beyond the end means that the feed was restored to an earlier state.
    const position = Math.min(opening.after ?? newest, newest);
    const listener = new Listener({ position, eventFilter: filter, onDropped });
    const space = spaceOf(spaceId, newest);
    openings.set(listener, opening);
    listener.once('close', () => {
      openings.delete(listener);
      leave(spaceId);
      space.remove(listener);
      if (space.listeners.size > 0) return;
      space.close();
      spaces.delete(spaceId);
    });
    space.add(listener);
    return listener;
  }

  async function checkForAppends(): Promise<void> {
    for (const space of spaces.values()) await space.checkForAppends();
  }

  async function endWithoutRight(): Promise<void> {
    const refusals = new Map<string, Error | null>();
    for (const [listener, { spaceId, credential, requireRight }] of openings) {
      const key = `${spaceId} ${credential}`;
      let refusal = refusals.get(key);
      if (refusal === undefined) {
        refusal = await requireRight().then(
          () => null,
          (error: Error) => error,
        );
        refusals.set(key, refusal);
        if (refusals.size % CHECKS_PER_ITERATION === 0) await setImmediate();
      }
      if (refusal !== null) listener.finish(codeOf(refusal));
    }
  }

  function endAll(): void {
    for (const listener of openings.keys()) listener.finish(serviceStopping().code);
  }

  return {
    open: async (opening) => {
      admit(opening.spaceId);
      try {
        const newest = await store.newest(opening.spaceId);
        if (closed) throw serviceStopping();
        return start(opening, newest);
      } catch (error) {
        leave(opening.spaceId);
        throw error;
      }
    },
    count: (spaceId) => (spaceId === undefined ? all : (counts.get(spaceId) ?? 0)),
    counts: () => counts,
    close: () => {
      closed = true;
      for (const timer of timers) clearInterval(timer);
      unsubscribe();
      endAll();
      setTimeout(endAll, STOP_MS).unref();
    },
  };
}

/** Runs `work` at an interval, except while the previous run continues. */
function repeat(
  work: () => Promise<void>,
  everyMs: number,
  onFailure: (error: unknown) => void,
): NodeJS.Timeout {
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    await work().catch(onFailure);
    isRunning = false;
  };
  return setInterval(() => void run(), everyMs).unref();
}

function codeOf(error: Error & { readonly code?: unknown }): string {
  return typeof error.code === 'string' ? error.code : 'the stream ends';
}
