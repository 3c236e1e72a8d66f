import type { Clock } from '../../lib/scheduling/index.ts';
import type { JobWork } from '../../storage/ports/index.ts';
import type { IdempotencyRepository } from './idempotency.repository.ts';

const CHECK_EVERY_MS = 10 * 60_000;

export interface RemovalDeps {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Removes expired responses, in small steps. */
export async function startRemoval(
  repository: Pick<IdempotencyRepository, 'removeSomeExpired'>,
  { clock, onError }: RemovalDeps,
): Promise<JobWork> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function removeExpired(): Promise<void> {
    while (!isStopped && (await repository.removeSomeExpired(clock())));
  }

  const check = () => {
    running = running.then(removeExpired).catch(onError);
  };
  const timer = setInterval(check, CHECK_EVERY_MS).unref();
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
