import type { JwtPayload, Link } from '@gatehouse/contract';
import { parse } from '../../lib/json/index.ts';
import type { LinkRepository } from './link.repository.ts';
import { filtersOf, type LinkFilters } from './link-filters.rules.ts';
import type { ActiveLink, LinkListRepository } from './link-list.repository.ts';

/** Default of `maxScanned`. */
const MAX_SCANNED = 20_000;
/** Links per query. The payload of a link can be large. */
const BATCH = 50;

export interface FilteredActiveLink {
  readonly link: Link;
  readonly filters: () => LinkFilters;
}

interface ActiveLinksDeps {
  readonly links: Pick<LinkRepository, 'findSpaceFilter'>;
  readonly lists: Pick<LinkListRepository, 'oldestOfNewest' | 'newestActive'>;
  readonly toLink: (row: ActiveLink) => Link;
  /** Unix milliseconds. */
  readonly now: number;
  /** Maximum number of links that are scanned, newest first. Default 20,000. */
  readonly maxScanned?: number;
}

/**
 * Yields the newest active links of a space, newest first.
 *
 * @returns `true` if the space has no further active links.
 */
export async function* newestActiveLinks(
  { links, lists, toLink, now, maxScanned = MAX_SCANNED }: ActiveLinksDeps,
  spaceId: string,
  limit: number,
): AsyncGenerator<FilteredActiveLink, boolean> {
  const spaceFilter = await links.findSpaceFilter(spaceId);
  // Without a bound, a space with a million expired links would be read completely.
  const oldest = await lists.oldestOfNewest(spaceId, maxScanned);
  const from = oldest ?? '';
  let before: string | null = null;
  for (let yielded = 0; ; ) {
    const batch: ActiveLink[] = await lists.newestActive(spaceId, {
      now,
      from,
      before,
      count: BATCH,
    });
    for (const row of batch) {
      if (yielded === limit) return false;
      const filters = () => filtersOf(parse(row.payload) as JwtPayload, spaceFilter);
      yield { link: toLink(row), filters };
      yielded += 1;
      before = row.id;
    }
    if (batch.length < BATCH) return oldest === null;
  }
}
