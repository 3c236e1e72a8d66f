import type { CountedExchanges, LinkRepository } from '../links/link.repository.ts';

/** Maximum number of links per update statement. */
const LINKS_PER_STATEMENT = 200;

type Exchanges = { -readonly [Member in keyof CountedExchanges]: CountedExchanges[Member] };

/** Counts the exchanges of links in the background. */
export interface ExchangeCounter {
  /** @param at Unix milliseconds. */
  count(spaceId: string, linkId: string, at: number): void;
  /** Reports whether an exchange of a link is counted and not yet written. */
  isCounted(linkId: string): boolean;
  /** Resolves when all counts so far are written, or dropped after a failed write. */
  drain(): Promise<void>;
}

/** Time in milliseconds for which counts are gathered before they are written. */
const GATHER_MS = 1000;

/**
 * Creates a counter that batches its writes, because a separate write would cost one fsync per exchange.
 *
 *   idle ──count──▶ gathering ──1 s, or drain──▶ writing ──▶ gathering if there are new counts, else idle
 *
 * Counts are informational. A failed write is reported and its counts are dropped. A crash loses unwritten counts.
 */
export function createExchangeCounter(
  links: Pick<LinkRepository, 'addExchanges'>,
  onError: (error: unknown) => void,
): ExchangeCounter {
  let gathered = new Map<string, Exchanges>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Starts after the previous write, so at most one write runs at a time. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeGathered);
    return writing;
  }

  async function writeGathered(): Promise<void> {
    const batch = [...gathered.values()];
    gathered = new Map();
    try {
      for (let at = 0; at < batch.length; at += LINKS_PER_STATEMENT)
        await links.addExchanges(batch.slice(at, at + LINKS_PER_STATEMENT));
    } catch (error) {
      // Skips the rest of the batch, because it would fail for the same reason, such as a full disk.
      onError(error);
    }
  }

  return {
    count(spaceId, linkId, at) {
      const known = gathered.get(linkId);
      if (known === undefined) gathered.set(linkId, { spaceId, id: linkId, count: 1, at });
      else {
        known.count += 1;
        known.at = Math.max(known.at, at);
      }
      timer ??= setTimeout(write, GATHER_MS).unref();
    },
    isCounted: (linkId) => gathered.has(linkId),
    drain: () => write(),
  };
}
