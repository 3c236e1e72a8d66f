import { FirstFailure } from '../../lib/scheduling/index.ts';
import type { JobWork, Term } from '../../storage/ports/index.ts';

const POLL_EVERY_MS = 1000;

export interface OutboxDeps {
  readonly term: Term;
  /** Sends the oldest queued rows and removes them from the queue. Resolves with `false` if none are queued. */
  readonly sendSome: () => Promise<boolean>;
  /** Receives the first of several consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/** Sends the rows of a queue in the database at the start and every second, while the lease is held. */
export function startOutbox({ term, sendSome, onError }: OutboxDeps): JobWork {
  const failures = new FirstFailure(onError);
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const sendAll = async () => {
    while (!isStopped && term.isHeld() && (await sendSome()));
  };
  const poll = () => {
    running = running.then(() => failures.of(sendAll));
  };
  const timer = setInterval(poll, POLL_EVERY_MS).unref();
  poll();
  return {
    onHint: () => {},
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
