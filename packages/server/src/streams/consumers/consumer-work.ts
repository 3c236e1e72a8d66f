import { FairScheduler } from '../../lib/scheduling/index.ts';
import type { JobWork, Term } from '../../storage/ports/index.ts';
import type { ConsumerDeps, ConsumerOptions } from './consumer-options.ts';

/** What a consumer does while it has its job. */
export interface ConsumerWork extends JobWork {
  /** Up to where events of a space were passed over that were not wanted; 0 when that is no further than its cursor. */
  passed(spaceId: string): number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** How often it is written down what was passed over; after a crash it is passed over again. */
const WRITE_PASSED_MS = 10_000;
/** How often a consumer looks up where nothing for it was appended, so that it does not lag. */
const LOOK_UP_EVERY_MS = 2000;

/** Begins in every space where the consumer is not up to date. */
export async function startConsuming(
  { store, cursors, clock }: ConsumerDeps,
  options: ConsumerOptions,
  term: Term,
): Promise<ConsumerWork> {
  const { name, query, pageSize, longestPauseMs = LONGEST_PAUSE_MS } = options;
  const scheduler = new FairScheduler({
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

  function hear(spaceId: string, feedsKnowledge: boolean): void {
    if (feedsKnowledge || query?.feedsKnowledge !== true) scheduler.wake(spaceId);
    else otherwise.add(spaceId);
  }

  function lookUp(): void {
    for (const spaceId of otherwise) scheduler.wake(spaceId);
    otherwise.clear();
  }

  async function step(spaceId: string, signal: AbortSignal): Promise<boolean> {
    const written = await cursors.read(spaceId, name);
    // Its events may still be there, and are nobody's any more.
    if (written === null) {
      passed.delete(spaceId);
      return false;
    }
    const after = Math.max(written, passed.get(spaceId) ?? 0);
    const page = await store.read({ ...query, spaceId, after, limit: pageSize });
    if (signal.aborted || !term.isHeld()) return false;
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
    for (const spaceId of due) scheduler.wake(spaceId);
  }

  const stopListening = store.onAppended(hear);
  const timers = [
    setInterval(writePassed, WRITE_PASSED_MS).unref(),
    setInterval(lookUp, LOOK_UP_EVERY_MS).unref(),
  ];
  const kept = await cursors.all(name);
  for (const [spaceId, newest] of await store.heads())
    if (newest > (kept.get(spaceId) ?? 0)) scheduler.wake(spaceId);

  return {
    passed: (spaceId) => passed.get(spaceId) ?? 0,
    // Of what others append, the store tells.
    look: () => {},
    end: async () => {
      stopListening();
      for (const timer of timers) clearInterval(timer);
      await scheduler.close();
      // A store that takes nothing any more: it is passed over again.
      for (const [spaceId, through] of passed)
        if (term.isHeld()) await cursors.write(spaceId, name, through, clock()).catch(() => {});
    },
  };
}
