import type { CountedExchanges, LinkRepository } from '../links/link.repository.ts';

/** Links whose counts one statement writes. */
const WRITTEN_TOGETHER = 200;

/** As it is added to. */
type Exchanges = { -readonly [Member in keyof CountedExchanges]: CountedExchanges[Member] };

/** Counts the exchanges of links without an exchange waiting for the disk. */
export interface ExchangeCounter {
  count(spaceId: string, linkId: string, at: number): void;
  /** Resolves when everything counted so far is written or was given up. */
  drain(): Promise<void>;
}

/** How long counts gather before they are written together, milliseconds. */
const GATHER_MS = 1000;

/**
 *   idle ──counted──▶ gathering ──1 s, or drained──▶ writing ──▶ gathering if more was counted, else idle
 *
 * Written at once, each count would cost an fsync. A write that fails is reported and its counts
 * are dropped, as are the last ones before a crash: they inform, and nothing rests on them.
 */
export function createExchangeCounter(
  links: Pick<LinkRepository, 'addExchanges'>,
  onError: (error: unknown) => void,
): ExchangeCounter {
  let gathered = new Map<string, Exchanges>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** After the write before it, so that at most one runs however slow the disk is. */
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
      for (let at = 0; at < batch.length; at += WRITTEN_TOGETHER)
        await links.addExchanges(batch.slice(at, at + WRITTEN_TOGETHER));
    } catch (error) {
      // The rest would fail for the same reason, such as a full disk.
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
    drain: () => write(),
  };
}
