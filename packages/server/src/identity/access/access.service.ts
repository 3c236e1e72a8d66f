import type { Role } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import {
  forbidden,
  malformedCredential,
  noCredential,
  roleOnBot,
  roleOnSpace,
  scopeInSpace,
  unknownKey,
  unknownSession,
  wrongCredential,
} from './access.errors.ts';
import {
  type Access,
  type BotAccess,
  type Caller,
  type KeyCaller,
  type Need,
  proven,
  type SpaceAccess,
  type UserCaller,
} from './access.ts';
import { readCredential } from './credential.rules.ts';
import type { Credentials } from './credential.service.ts';
import type { RightsRepository } from './rights.repository.ts';

interface AccessServiceDeps {
  readonly credentials: Credentials;
  readonly rights: RightsRepository;
  /** Whether a JWT is that of a live widget session. */
  readonly verifyWidgetSession: (token: string) => Promise<boolean>;
}

export function createAccessService(deps: AccessServiceDeps): Access {
  const { credentials, rights } = deps;

  async function caller(request: FastifyRequest): Promise<Caller> {
    const credential = readCredential(request.headers);
    switch (credential.kind) {
      case 'none':
        throw noCredential();
      case 'malformed':
        throw malformedCredential(credential.problem);
      case 'jwt':
        if (await deps.verifyWidgetSession(credential.text))
          throw wrongCredential('widget session');
        throw unknownSession();
      case 'key':
        return orThrow(await credentials.key(credential.text), unknownKey);
      case 'session':
        return orThrow(await credentials.session(credential.text), unknownSession);
    }
  }

  async function user(request: FastifyRequest): Promise<UserCaller> {
    const who = await caller(request);
    if (who.kind === 'key') throw wrongCredential('API key');
    return who;
  }

  async function administrator(request: FastifyRequest): Promise<UserCaller> {
    const who = await user(request);
    if (!who.admin) throw forbidden('an administrator of the installation');
    return who;
  }

  async function space(who: Caller, givenId: string, need: Need): Promise<SpaceAccess> {
    refuseKeyWithoutScope(who, need);
    // UUIDs are stored in lower case and mean the same in either (RFC 9562, section 4).
    const spaceId = givenId.toLowerCase();
    const allowed =
      who.kind === 'key'
        ? keyMay(who, spaceId, need)
        : who.admin
          ? await rights.spaceExists(spaceId)
          : hasRole(await rights.rolesInSpace(who.userId, spaceId), need.role);
    if (!allowed) throw forbidden(needed(who, need, roleOnSpace));
    return proven<SpaceAccess>({ spaceId, caller: who });
  }

  async function bot(who: Caller, botId: number, need: Need): Promise<BotAccess> {
    refuseKeyWithoutScope(who, need);
    const spaceId = await spaceOfAllowedBot(who, botId, need);
    if (spaceId === undefined) throw forbidden(needed(who, need, roleOnBot));
    return proven<BotAccess>({ spaceId, botId, caller: who });
  }

  async function spaceOfAllowedBot(
    who: Caller,
    botId: number,
    need: Need,
  ): Promise<string | undefined> {
    if (who.kind === 'user' && !who.admin) {
      const found = await rights.roleOnBot(who.userId, botId);
      return found !== undefined && hasRole([found.role], need.role) ? found.spaceId : undefined;
    }
    const spaceId = await rights.spaceOfBot(botId);
    if (spaceId === undefined || who.kind === 'user') return spaceId;
    return keyMay(who, spaceId, need) ? spaceId : undefined;
  }

  return {
    caller,
    user,
    administrator,
    space,
    bot,
    hasCredential: (request) => readCredential(request.headers).kind !== 'none',
    key: credentials.key,
  };
}

/** Before anything is looked up, so that the answer is the same whether the thing exists or not. */
function refuseKeyWithoutScope(who: Caller, need: Need): void {
  if (who.kind === 'key' && need.scope === undefined) throw wrongCredential('API key');
}

/** A key acts on its own space, which exists: the key would be gone with it. */
function keyMay(key: KeyCaller, spaceId: string, need: Need): boolean {
  return key.spaceId === spaceId && need.scope !== undefined && key.scopes.has(need.scope);
}

function needed(who: Caller, need: Need, roleWords: (role: Need['role']) => string): string {
  return who.kind === 'key' && need.scope !== undefined
    ? scopeInSpace(need.scope)
    : roleWords(need.role);
}

function orThrow<C>(found: C | null, error: () => Error): C {
  if (found === null) throw error();
  return found;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };

/** Whether any of the roles is the needed one or more. */
function hasRole(roles: readonly Role[], needed: Role): boolean {
  return roles.some((role) => RANK[role] >= RANK[needed]);
}
