import type { JwtPayload, LinkRequest } from '@gatehouse/contract';
import { matchesEverything } from '@gatehouse/filter';
import { parseRequestFilter } from '../../lib/filters/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { ListedLink } from './link-list.repository.ts';
import { widgetWarnings } from './widget-warnings.rules.ts';

/** Facts about a link that its list shows. They are stored with the link, because its payload can be large. */
export interface LinkChecks {
  /** `true` if the link has a `permissionFilter` that does not match everything trivially. */
  readonly isRestricted: boolean;
  readonly warnings: readonly string[];
}

export function checkLink({
  permissionFilter,
  widget,
}: Pick<LinkRequest, 'permissionFilter' | 'widget'>): LinkChecks {
  return { isRestricted: isRestricting(permissionFilter), warnings: widgetWarnings(widget) };
}

/** A filter that cannot be parsed denies access, so it restricts the link. */
function isRestricting(permissionFilter: LinkRequest['permissionFilter']): boolean {
  if (permissionFilter === undefined) return false;
  const result = parseRequestFilter(permissionFilter);
  return !result.ok || !matchesEverything(result.filter);
}

export function checkColumns({ isRestricted, warnings }: LinkChecks) {
  return { restricted: isRestricted ? 1 : 0, warnings: JSON.stringify(warnings) };
}

/** Returns the stored checks. Links of earlier releases are checked again. */
export function storedChecks({
  restricted,
  warnings,
  unchecked_payload,
}: Pick<ListedLink, 'restricted' | 'warnings' | 'unchecked_payload'>): LinkChecks {
  if (unchecked_payload !== null) return checkLink(parse(unchecked_payload) as JwtPayload);
  return {
    isRestricted: restricted === 1,
    warnings: warnings === null ? [] : (JSON.parse(warnings) as string[]),
  };
}
