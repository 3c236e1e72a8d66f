import { ApiError, type LinkRequest } from '@gatehouse/contract';
import type { Access, Caller, Need, SpaceAccess } from '../../identity/index.ts';
import { botOfAnotherSpace, noSuchLink, spaceNeeded } from './link.errors.ts';
import type { LinkRepository } from './link.repository.ts';

export const MAY_WRITE: Need = { role: 'editor', scope: 'links:write' };
export const MAY_READ: Need = { role: 'editor', scope: 'read' };
const MAY_LOOK: Need = { role: 'viewer', scope: 'read' };

type Target = Pick<LinkRequest, 'spaceId' | 'botId'>;

/**
 * The space that a link is asked for, with the right to make it there.
 *
 * @throws ApiError 403 without that right, 400 when the bot is not in the space.
 */
export async function spaceOfTarget(
  access: Access,
  links: Pick<LinkRepository, 'hasBot'>,
  caller: Caller,
  { spaceId, botId }: Target,
): Promise<SpaceAccess> {
  if (spaceId === undefined && botId !== undefined) return access.bot(caller, botId, MAY_WRITE);
  const space = await access.space(caller, nameOfSpace(caller, spaceId), MAY_WRITE);
  // After the right: to others, a bot elsewhere and no bot at all must look the same.
  if (botId !== undefined && !(await links.hasBot(space.spaceId, botId))) throw botOfAnotherSpace();
  return space;
}

/**
 * The space that a request names, or the key's own.
 *
 * @throws ApiError 400 when a session names none.
 */
export function nameOfSpace(caller: Caller, spaceId: string | undefined): string {
  if (spaceId !== undefined) return spaceId;
  if (caller.kind === 'key') return caller.spaceId;
  throw spaceNeeded();
}

/**
 * The space of a link, with the right that is asked for.
 *
 * @throws ApiError 404 when there is no such link or the caller sees nothing of its space, 403
 *   when they see the space and lack the right.
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
    await access.space(caller, spaceId, MAY_LOOK);
  } catch (error) {
    throw isForbidden(error) ? noSuchLink() : error;
  }
  return access.space(caller, spaceId, need);
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
