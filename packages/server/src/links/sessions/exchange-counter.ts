import { GatheredWrites } from '../../lib/scheduling/index.ts';
import type { CountedExchanges, LinkRepository } from '../links/link.repository.ts';

/** Counts the exchanges of links in the background. Counts are informational: a failed write or a crash loses some. */
export interface ExchangeCounter {
  /** @param at Unix milliseconds. */
  count(spaceId: string, linkId: string, at: number): void;
  /** Reports whether an exchange of a link is counted and not yet written. */
  isCounted(linkId: string): boolean;
  /** Resolves when all counts so far are written, or dropped after a failed write. */
  drain(): Promise<void>;
}

export function createExchangeCounter(
  links: Pick<LinkRepository, 'addExchanges'>,
  onError: (error: unknown) => void,
): ExchangeCounter {
  const counts = new GatheredWrites<CountedExchanges>({
    write: (rows) => links.addExchanges(rows),
    onError,
  });
  return {
    count(spaceId, linkId, at) {
      const known = counts.get(linkId);
      counts.set(linkId, {
        spaceId,
        id: linkId,
        count: (known?.count ?? 0) + 1,
        at: Math.max(known?.at ?? at, at),
      });
    },
    isCounted: (linkId) => counts.get(linkId) !== undefined,
    drain: () => counts.drain(),
  };
}
