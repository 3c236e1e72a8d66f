import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { EventFilter, EventStore } from '../../storage/ports/index.ts';
import { Listener } from './listener.ts';
import { serviceStopping, tooManyInSpace, tooManyListeners } from './live.errors.ts';
import { LiveSpace } from './live-space.ts';

export interface Opening {
  readonly spaceId: string;
  /** Events behind this position; null: those that come from now on. */
  readonly after: number | null;
  readonly filter: EventFilter;
  /** The same for all who listen by the same key or session: they are asked about once. */
  readonly credential: string;
  /** Rejects when they may not listen any more, or when that cannot be known. */
  readonly requireRight: () => Promise<void>;
}

export interface ListenerLimits {
  readonly all: number;
  readonly inSpace: number;
}

export interface LiveDeps {
  readonly store: EventStore;
  readonly limits: ListenerLimits;
  /** Hears of each listener that was hung up on, because it reads more slowly than events come. */
  readonly onDropped: () => void;
  /** Hears why the store could not be read. */
  readonly onFailure: (error: unknown) => void;
}

/** Who listens to what is accepted, as it comes. */
export interface Live {
  /** A body of server-sent events. Throws `ApiError` 429 and 503 when there are too many. */
  open(opening: Opening): Promise<Readable>;
  /** How many listen, to one space or to all. */
  count(spaceId?: string): number;
  /** The same of each space that somebody listens to. */
  counts(): ReadonlyMap<string, number>;
  /** Ends all streams, and opens none any more. Who does not read to the end within two seconds is hung up on. */
  close(): void;
}

/**
 * How long after its right has ended a stream may go on, milliseconds; credentials are remembered for a second
 * besides. Whoever has not read to the end by the next time is hung up on.
 */
const LOOK_EVERY_MS = 2000;
/** Rights that are looked up before others have their turn on the thread. */
const LOOKS_AT_ONCE = 50;

export function createLive({ store, limits, onDropped, onFailure }: LiveDeps): Live {
  const spaces = new Map<string, LiveSpace>();
  const openings = new Map<Listener, Opening>();
  /** By space; counted before a stream is open, so that many at once are not let in together. */
  const counts = new Map<string, number>();
  let all = 0;
  let closed = false;
  let looking = false;
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  const stopHearing = store.onAppended((spaceId) => spaces.get(spaceId)?.wake());

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

  function begin(opening: Opening, newest: number): Listener {
    const { spaceId, filter } = opening;
    // A cursor beyond the end is of a feed that was put back to an earlier state.
    const position = Math.min(opening.after ?? newest, newest);
    const listener = new Listener({ position, wanted: filter, onDropped });
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

  /** Ends the streams of those who may not listen any more, and looks after what nobody was told of. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      await endWithoutRight();
      for (const space of spaces.values()) await space.look();
    } catch (error) {
      onFailure(error);
    } finally {
      looking = false;
    }
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
        if (refusals.size % LOOKS_AT_ONCE === 0) await turn();
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
        return begin(opening, newest);
      } catch (error) {
        leave(opening.spaceId);
        throw error;
      }
    },
    count: (spaceId) => (spaceId === undefined ? all : (counts.get(spaceId) ?? 0)),
    counts: () => counts,
    close: () => {
      closed = true;
      clearInterval(timer);
      stopHearing();
      endAll();
      setTimeout(endAll, LOOK_EVERY_MS).unref();
    },
  };
}

function codeOf(error: Error & { readonly code?: unknown }): string {
  return typeof error.code === 'string' ? error.code : 'the stream ends';
}
