import type { LinkRepository } from './link.repository.ts';

interface Exchanges {
  readonly spaceId: string;
  count: number;
  /** Of the last one, Unix milliseconds. */
  at: number;
}

/** Counts the exchanges of links without an exchange waiting for the disk. */
export interface ExchangeCounter {
  count(spaceId: string, linkId: string, at: number): void;
  /** Resolves when everything counted so far is written or was given up. */
  drain(): Promise<void>;
}

/**
 * One write runs at a time; what is counted meanwhile is added up and goes with the next one. A
 * write that fails is reported and its counts are dropped: they inform, and nothing rests on them.
 */
export function createExchangeCounter(
  links: Pick<LinkRepository, 'addExchanges'>,
  onError: (error: unknown) => void,
): ExchangeCounter {
  let waiting = new Map<string, Exchanges>();
  let writing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting];
      waiting = new Map();
      const writes = batch.map(([linkId, { spaceId, count, at }]) =>
        links.addExchanges(spaceId, linkId, count, at),
      );
      const failures = (await Promise.allSettled(writes)).filter(
        (write) => write.status === 'rejected',
      );
      // One report for the whole batch: they fail for one reason, such as a full disk.
      if (failures[0] !== undefined) onError(failures[0].reason);
    }
    writing = null;
  }

  return {
    count(spaceId, linkId, at) {
      const known = waiting.get(linkId);
      if (known === undefined) waiting.set(linkId, { spaceId, count: 1, at });
      else {
        known.count += 1;
        known.at = at;
      }
      writing ??= writeAll();
    },
    drain: async () => {
      await writing;
    },
  };
}
