import type { JwtPayload, PreviewTarget } from '@gatehouse/contract';
import type { Predicate } from '@gatehouse/filter';
import { forbidden, roleOnSpace, type SpaceAccess } from '../../identity/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { type LinkedAssistant, linkedAssistant } from './assistant.rules.ts';
import type { AssistantOfLink } from './filtered-link.repository.ts';
import { linkEnded, noSuchLink } from './link.errors.ts';
import type { LinkRepository } from './link.repository.ts';
import { stateOf } from './link.rules.ts';
import { linkPredicates } from './link-filters.rules.ts';

export interface LinkPreview {
  readonly assistant: LinkedAssistant;
  /** The predicates of all filters that apply to the link. */
  readonly predicates: readonly Predicate[];
}

interface PreviewDeps {
  readonly links: Pick<LinkRepository, 'findForChat' | 'findDefaults'>;
  readonly clock: Clock;
}

export async function previewLink(
  deps: PreviewDeps,
  { spaceId }: SpaceAccess,
  { linkId, permissionFilter, filter }: PreviewTarget,
): Promise<LinkPreview> {
  if (linkId !== undefined) {
    const link = await activeLink(deps, spaceId, linkId.toLowerCase());
    return toPreview(parse(link.payload) as JwtPayload, link);
  }
  const defaults = await deps.links.findDefaults(spaceId);
  // The space was deleted after the caller's right was checked.
  if (defaults === null) throw forbidden(roleOnSpace('editor'));
  return toPreview({ permissionFilter, filter } as JwtPayload, defaults);
}

async function activeLink(
  { links, clock }: PreviewDeps,
  spaceId: string,
  linkId: string,
): Promise<AssistantOfLink> {
  const link = await links.findForChat(spaceId, linkId);
  if (link === null) throw noSuchLink();
  const state = stateOf(link, clock());
  if (state !== 'active') throw linkEnded({ state });
  return link;
}

function toPreview(claims: JwtPayload, settings: Omit<AssistantOfLink, 'payload'>): LinkPreview {
  return {
    assistant: linkedAssistant(claims, settings),
    predicates: linkPredicates(claims, settings.spaceFilter),
  };
}
