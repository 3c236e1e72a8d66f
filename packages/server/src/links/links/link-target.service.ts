import { ApiError, type LinkRequest } from '@gatehouse/contract';
import type { Access, Caller, Need, SpaceAccess } from '../../identity/index.ts';
import { botOfAnotherSpace, noSuchLink, spaceNeeded } from './link.errors.ts';
import type { LinkRepository } from './link.repository.ts';

export const MAY_WRITE: Need = { role: 'editor', scope: 'links:write' };
export const MAY_READ: Need = { role: 'editor', scope: 'read' };
const MAY_VIEW: Need = { role: 'viewer', scope: 'read' };

type Target = Pick<LinkRequest, 'spaceId' | 'botId'>;

/**
 * Returns the space of a link request after checking the caller's right to create links there.
 *
 * @throws ApiError 403 if the caller lacks the right, 400 if the bot is not in the space.
 */
export async function spaceOfTarget(
  access: Access,
  links: Pick<LinkRepository, 'hasBot'>,
  caller: Caller,
  { spaceId, botId }: Target,
): Promise<SpaceAccess> {
  if (spaceId === undefined && botId !== undefined) return access.bot(caller, botId, MAY_WRITE);
  const space = await access.space(caller, requestedSpace(caller, spaceId), MAY_WRITE);
  // The bot is checked after the caller's right, because an unauthorised caller must not learn whether a bot exists.
  if (botId !== undefined && !(await links.hasBot(space.spaceId, botId))) throw botOfAnotherSpace();
  return space;
}

/**
 * Returns the ID of the requested space, or of the space of the caller's API key.
 *
 * @throws ApiError 400 if a user session names no space.
 */
export function requestedSpace(caller: Caller, spaceId: string | undefined): string {
  if (spaceId !== undefined) return spaceId;
  if (caller.kind === 'key') return caller.spaceId;
  throw spaceNeeded();
}

/**
 * Returns the space of a link after checking `need`.
 *
 * @throws ApiError 404 if the link does not exist or the caller may not view its space, 403 if the caller may view the
 *   space but lacks `need`.
 */
export async function spaceOfLink(
  access: Access,
  links: Pick<LinkRepository, 'findSpace'>,
  caller: Caller,
  linkId: string,
  need: Need,
): Promise<SpaceAccess> {
  if (caller.kind === 'key') return access.space(caller, caller.spaceId, need);
  const spaceId = await links.findSpace(linkId);
  if (spaceId === null) throw noSuchLink();
  try {
    await access.space(caller, spaceId, MAY_VIEW);
  } catch (error) {
    throw isForbidden(error) ? noSuchLink() : error;
  }
  return access.space(caller, spaceId, need);
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
