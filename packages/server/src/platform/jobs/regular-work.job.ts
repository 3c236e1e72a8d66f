import { FirstFailure, MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { JobWork, Term } from '../../storage/ports/index.ts';

const POLL_EVERY_MS = 1000;
const REMOVE_EVERY_MS = 10 * MINUTE_MS;

export interface QueueDeps {
  readonly term: Term;
  /** Handles the oldest queued rows and removes them from the queue. Resolves with `false` if none are queued. */
  readonly handleSome: () => Promise<boolean>;
  /** Receives the first of several consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/** Handles the rows of a queue in the database at the start and every second, while the lease is held. */
export function startQueue({ term, handleSome, onError }: QueueDeps): JobWork {
  const failures = new FirstFailure(onError);
  const step = async () => term.isHeld() && handleSome();
  return startRegularWork(POLL_EVERY_MS, step, (work) => failures.of(work));
}

export interface RemovalDeps {
  /** Removes some expired rows. Resolves with `false` if none remain. */
  readonly removeSome: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  /** Milliseconds between two removals. Default: ten minutes. */
  readonly everyMs?: number;
}

/** Removes expired rows at the start and then regularly, in small steps. */
export async function startRemoval({
  removeSome,
  onError,
  everyMs = REMOVE_EVERY_MS,
}: RemovalDeps): Promise<JobWork> {
  return startRegularWork(everyMs, removeSome, (work) => work().catch(onError));
}

/**
 * Works at the start and then regularly.
 *
 * @param step performs a step. Returns `false` if no work is left.
 * @param handle runs the work and handles its failure.
 */
function startRegularWork(
  everyMs: number,
  step: () => Promise<boolean>,
  handle: (work: () => Promise<void>) => Promise<void>,
): JobWork {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const work = async () => {
    while (!isStopped && (await step()));
  };
  const check = () => {
    running = running.then(() => handle(work));
  };
  const timer = setInterval(check, everyMs).unref();
  check();
  return {
    onHint: () => {},
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
