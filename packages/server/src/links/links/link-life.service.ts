import type { Clock } from '../../lib/scheduling/index.ts';
import { invalidSession, linkEnded } from './link.errors.ts';
import type { LinkRepository } from './link.repository.ts';
import { stateOf } from './link-state.rules.ts';

export interface LinkLifeDeps {
  readonly links: Pick<LinkRepository, 'findLifetime'>;
  readonly clock: Clock;
}

/**
 * Looks whether the link of a session lives at this moment.
 *
 * @throws ApiError 401 `links.session-invalid` when it is deleted, 410 `links.expired` or `links.revoked`.
 */
export async function requireLife(
  { links, clock }: LinkLifeDeps,
  { spaceId, linkId }: { readonly spaceId: string; readonly linkId: string },
): Promise<void> {
  const lifetime = await links.findLifetime(spaceId, linkId);
  if (lifetime === null) throw invalidSession();
  const state = stateOf(lifetime, clock());
  if (state !== 'active') throw linkEnded({ state });
}
