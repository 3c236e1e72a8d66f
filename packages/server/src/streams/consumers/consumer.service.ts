import type { ConsumerDeps, ConsumerOptions } from './consumer-options.ts';
import { startConsuming } from './consumer-work.ts';

export interface Consumer {
  /** Begins in every space, and goes on whenever something is appended, while no other process does. */
  start(): Promise<void>;
  /** Everything in a space's feed up to here is behind it. */
  position(spaceId: string): Promise<number>;
  /** How many events it has before it in each space where it is not up to date, before its filters. */
  lags(): Promise<ReadonlyMap<string, number>>;
  /** Resolves when nothing of it is under way any more. What is left it does after the next start. */
  close(): Promise<void>;
}

/**
 * A consumer of all spaces' events with a durable cursor in each. Of all processes one reads at a time; what the
 * others show of it is what it has written down.
 */
export function createConsumer(deps: ConsumerDeps, options: ConsumerOptions): Consumer {
  const { store, cursors, leases, clock } = deps;
  const { name } = options;
  const job = leases.job(name, (term) => startConsuming(deps, options, term));
  const passed = (spaceId: string) => job.work?.passed(spaceId) ?? 0;

  return {
    start: async () => {
      // Not when the job is held, which may be later: what comes once this process is ready is behind nobody.
      if (options.startsAt === 'newest') await cursors.enter(name, await store.heads(), clock());
      await job.start();
    },
    position: async (spaceId) =>
      Math.max((await cursors.read(spaceId, name)) ?? 0, passed(spaceId)),
    lags: async () => {
      const [heads, kept] = [await store.heads(), await cursors.all(name)];
      const behind = [...heads]
        .map(([spaceId, newest]) => {
          const place = Math.max(kept.get(spaceId) ?? 0, passed(spaceId));
          return [spaceId, newest - place] as const;
        })
        .filter(([, lag]) => lag > 0);
      return new Map(behind);
    },
    close: async () => job[Symbol.asyncDispose](),
  };
}
