/*
 * Scheduling of extractions on a few processes.
 *
 * - Every document first gets a short run. The scheduler alternates between spaces, and the space with the fewest running documents goes first.
 * - A document is slow after it has run for `QUICK_MS`. While documents wait for their first run, one process is reserved for
 *   them: if slow documents occupy all processes, one of the slow documents is interrupted.
 * - If slow documents of several spaces compete, a running document is interrupted in favour of a waiting document of another
 *   space. This happens when the current run is `SLOW_RUN_MS` longer than the longest previous run of the waiting document.
 * - An interrupted document starts again from the beginning when a process becomes available for slow documents.
 *
 * Therefore, no document delays a document of another space by more than one run.
 */

/** Milliseconds of a run after which a document is slow. */
export const QUICK_MS = 2000;
/**
 * Milliseconds by which the current run of a slow document may exceed the longest previous run of a waiting slow document of
 * another space.
 */
export const SLOW_RUN_MS = 4000;

export interface WaitingExtraction {
  readonly spaceId: string;
  /** Milliseconds of the longest interrupted run. 0: the document was never started. */
  readonly spentMs: number;
}

export interface RunningExtraction extends WaitingExtraction {
  readonly runMs: number;
}

/**
 * Returns the extraction to start on an idle process, or undefined if no waiting extraction may start.
 *
 * @param waiting in the order of arrival.
 * @param servedAt Returns when an extraction of the space was last started. Lower values are earlier.
 */
export function nextExtraction<Extraction extends WaitingExtraction>(
  waiting: readonly Extraction[],
  running: readonly RunningExtraction[],
  processes: number,
  servedAt: (spaceId: string) => number,
): Extraction | undefined {
  const first = waiting.filter(({ spentMs }) => spentMs === 0);
  const mayBeSlow = first.length === 0 || running.filter(isSlow).length < processes - 1;
  const runningOf = ({ spaceId }: Extraction) =>
    running.filter((extraction) => extraction.spaceId === spaceId).length;
  if (mayBeSlow) {
    const interrupted = waiting.filter(({ spentMs }) => spentMs > 0);
    const next = least(interrupted, (extraction) => [runningOf(extraction), extraction.spentMs]);
    if (next !== undefined) return next;
  }
  return least(first, (extraction) => [runningOf(extraction), servedAt(extraction.spaceId)]);
}

/** Returns the running extraction to interrupt in favour of a waiting extraction. All processes are busy. */
export function extractionToInterrupt<Extraction extends RunningExtraction>(
  waiting: readonly WaitingExtraction[],
  running: readonly Extraction[],
  processes: number,
): Extraction | undefined {
  const overdue = running.filter(({ runMs }) => runMs >= QUICK_MS);
  const slow = running.filter(isSlow).length;
  if (waiting.some(({ spentMs }) => spentMs === 0) && slow > processes - 1)
    return least(overdue, ({ runMs }) => [runMs]);
  const delays = (extraction: Extraction) =>
    waiting.some(
      ({ spaceId, spentMs }) =>
        spentMs > 0 && spaceId !== extraction.spaceId && extraction.runMs >= spentMs + SLOW_RUN_MS,
    );
  return least(running.filter(delays), ({ runMs }) => [-runMs]);
}

function isSlow({ spentMs, runMs }: RunningExtraction): boolean {
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
