/*
 * Scheduling of extractions on a few processes.
 *
 * - Every document first gets a short run. Spaces take turns, and the space with the fewest running documents goes first.
 * - A document is slow after it has run for `QUICK_MS`. While documents wait for their first run, one process is reserved for
 *   them: if slow documents occupy all processes, one of the slow documents is interrupted.
 * - If slow documents of several spaces compete, a running document is interrupted in favour of a waiting document of another
 *   space. This happens when the current run is `SLOW_TURN_MS` longer than the longest previous run of the waiting document.
 * - An interrupted document starts again from the beginning when a process becomes available for slow documents.
 *
 * Therefore, no document delays a document of another space by more than one turn.
 */

/** Milliseconds of a run after which a document is slow. */
export const QUICK_MS = 2000;
/**
 * Milliseconds by which the current run of a slow document may exceed the longest previous run of a waiting slow document of
 * another space.
 */
export const SLOW_TURN_MS = 4000;

export interface WaitingJob {
  readonly spaceId: string;
  /** Milliseconds of the longest interrupted run. 0: the document was never started. */
  readonly spentMs: number;
}

export interface RunningJob extends WaitingJob {
  readonly runMs: number;
}

/**
 * Returns the job to start on an idle process, or undefined if no waiting job may start.
 *
 * @param waiting in the order of arrival.
 * @param servedAt Returns when a job of the space was last started. Lower values are earlier.
 */
export function nextJob<Job extends WaitingJob>(
  waiting: readonly Job[],
  running: readonly RunningJob[],
  processes: number,
  servedAt: (spaceId: string) => number,
): Job | undefined {
  const first = waiting.filter(({ spentMs }) => spentMs === 0);
  const mayBeSlow = first.length === 0 || running.filter(isSlow).length < processes - 1;
  const runningOf = ({ spaceId }: Job) => running.filter((job) => job.spaceId === spaceId).length;
  if (mayBeSlow) {
    const interrupted = waiting.filter(({ spentMs }) => spentMs > 0);
    const next = least(interrupted, (job) => [runningOf(job), job.spentMs]);
    if (next !== undefined) return next;
  }
  return least(first, (job) => [runningOf(job), servedAt(job.spaceId)]);
}

/** Returns the running job to interrupt in favour of a waiting job. All processes are busy. */
export function jobToInterrupt<Job extends RunningJob>(
  waiting: readonly WaitingJob[],
  running: readonly Job[],
  processes: number,
): Job | undefined {
  const overdue = running.filter(({ runMs }) => runMs >= QUICK_MS);
  const slow = running.filter(isSlow).length;
  if (waiting.some(({ spentMs }) => spentMs === 0) && slow > processes - 1)
    return least(overdue, ({ runMs }) => [runMs]);
  const delays = (job: Job) =>
    waiting.some(
      ({ spaceId, spentMs }) =>
        spentMs > 0 && spaceId !== job.spaceId && job.runMs >= spentMs + SLOW_TURN_MS,
    );
  return least(running.filter(delays), ({ runMs }) => [-runMs]);
}

function isSlow({ spentMs, runMs }: RunningJob): boolean {
  return spentMs > 0 || runMs >= QUICK_MS;
}

/** Returns the first element with the least key. */
function least<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => readonly number[],
): Item | undefined {
  let best: { readonly item: Item; readonly key: readonly number[] } | undefined;
  for (const item of items) {
    const key = keyOf(item);
    if (best === undefined || precedes(key, best.key)) best = { item, key };
  }
  return best?.item;
}

function precedes(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
}
