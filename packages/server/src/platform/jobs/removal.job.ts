import { MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { JobWork } from '../../storage/ports/index.ts';

const CHECK_EVERY_MS = 10 * MINUTE_MS;

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
  everyMs = CHECK_EVERY_MS,
}: RemovalDeps): Promise<JobWork> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function removeAll(): Promise<void> {
    while (!isStopped && (await removeSome()));
  }

  const check = () => {
    running = running.then(removeAll).catch(onError);
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
