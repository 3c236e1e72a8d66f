import { Turns } from '../background/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventPage, EventQuery, EventStore } from '../ports/event-store.ts';
import type { CursorRepository } from './cursor.repository.ts';

export interface EventReaderOptions {
  /** Names its cursors in the store, so it stays as it is for good. */
  readonly name: string;
  /** Where it begins when it is new; spaces that come after it are read from their beginning. */
  readonly startsAt: 'beginning' | 'newest';
  /** What it looks for; everything else is passed over. */
  readonly query?: Pick<
    EventQuery,
    'type' | 'source' | 'subject' | 'typePrefix' | 'feedsKnowledge'
  >;
  /** How many events at most it is given at once. */
  readonly pageSize: number;
  /** How many spaces it works on at once. */
  readonly spacesAtOnce: number;
  /** The longest pause of a space whose pages fail, milliseconds; a minute when it is not given. */
  readonly longestPauseMs?: number;
  /**
   * Does what is to be done with a page of a space's events, the oldest first; the cursor moves when it
   * resolves. A page comes again after a failure, and after a crash before the cursor was moved, perhaps
   * with more or fewer events in it: doing a thing twice must be as doing it once.
   */
  readonly handle: (
    spaceId: string,
    events: EventPage['events'],
    signal: AbortSignal,
  ) => Promise<void>;
  /** Hears of each page that failed; `failures` in a row. The space is tried again, later and later. */
  readonly onFailure: (error: unknown, spaceId: string, failures: number) => void;
}

export interface EventReader {
  /** Begins in every space, and goes on whenever something is appended. */
  start(): Promise<void>;
  /** Everything in a space's feed up to here is behind it. */
  position(spaceId: string): Promise<number>;
  /** How many events it has before it in each space where it is not up to date, before its filters. */
  lags(): Promise<ReadonlyMap<string, number>>;
  /** Resolves when nothing of it is under way any more. What is left it does after the next start. */
  close(): Promise<void>;
}

export interface EventReaderDeps {
  readonly store: EventStore;
  readonly cursors: CursorRepository;
  readonly clock: Clock;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** How often it is written down what was passed over; after a crash it is passed over again. */
const WRITE_PASSED_MS = 10_000;
/** How often a reader looks up where nothing for it was appended, so that it does not lag. */
const LOOK_UP_EVERY_MS = 2000;

/** A reader of all spaces' events with a durable cursor in each. */
export function createEventReader(deps: EventReaderDeps, options: EventReaderOptions): EventReader {
  const { store, cursors, clock } = deps;
  const { name, startsAt, query, pageSize, longestPauseMs = LONGEST_PAUSE_MS } = options;
  const turns = new Turns({
    atOnce: options.spacesAtOnce,
    step,
    onFailure: (error, spaceId, failures) => {
      options.onFailure(error, spaceId, failures);
      return Math.min(longestPauseMs, FIRST_PAUSE_MS * 2 ** (failures - 1));
    },
  });
  /** Up to where events of a space were passed over that were not wanted, beyond its cursor. */
  const passed = new Map<string, number>();
  /** Spaces where that is to be written with the next step, so that no two writes of a cursor can overtake each other. */
  let due = new Set<string>();
  /** Spaces in which something was appended that is not for it. */
  const otherwise = new Set<string>();
  let stop = () => {};

  function hear(spaceId: string, feedsKnowledge: boolean): void {
    if (feedsKnowledge || query?.feedsKnowledge !== true) turns.wake(spaceId);
    else otherwise.add(spaceId);
  }

  function lookUp(): void {
    for (const spaceId of otherwise) turns.wake(spaceId);
    otherwise.clear();
  }

  async function step(spaceId: string, signal: AbortSignal): Promise<boolean> {
    const written = await cursors.read(spaceId, name);
    const after = Math.max(written, passed.get(spaceId) ?? 0);
    const page = await store.read({ ...query, spaceId, after, limit: pageSize });
    if (signal.aborted) return false;
    // Retention waits for cursors, so there is one before the first page succeeds.
    if (after === 0 && page.events.length > 0) await cursors.write(spaceId, name, 0, clock());
    if (page.events.length > 0) await options.handle(spaceId, page.events, signal);
    if (page.events.length > 0 || due.delete(spaceId)) {
      if (page.through > written) await cursors.write(spaceId, name, page.through, clock());
      passed.delete(spaceId);
    } else if (page.through > after) passed.set(spaceId, page.through);
    return page.more;
  }

  function writePassed(): void {
    due = new Set(passed.keys());
    for (const spaceId of due) turns.wake(spaceId);
  }

  return {
    start: async () => {
      if (startsAt === 'newest') await cursors.enter(name, await store.heads(), clock());
      const stopListening = store.onAppended(hear);
      const timers = [
        setInterval(writePassed, WRITE_PASSED_MS).unref(),
        setInterval(lookUp, LOOK_UP_EVERY_MS).unref(),
      ];
      stop = () => {
        stopListening();
        for (const timer of timers) clearInterval(timer);
      };
      for (const [spaceId] of await lags()) turns.wake(spaceId);
    },
    position,
    lags,
    close: async () => {
      stop();
      await turns.close();
      // A store that takes nothing any more: it is passed over again.
      for (const [spaceId, through] of passed)
        await cursors.write(spaceId, name, through, clock()).catch(() => {});
    },
  };

  async function lags(): Promise<ReadonlyMap<string, number>> {
    const [heads, kept] = [await store.heads(), await cursors.all(name)];
    const behind = [...heads]
      .map(([spaceId, newest]) => {
        const place = Math.max(kept.get(spaceId) ?? 0, passed.get(spaceId) ?? 0);
        return [spaceId, newest - place] as const;
      })
      .filter(([, lag]) => lag > 0);
    return new Map(behind);
  }

  async function position(spaceId: string): Promise<number> {
    return Math.max(await cursors.read(spaceId, name), passed.get(spaceId) ?? 0);
  }
}
