import type { Role, SpaceRights } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import { setActor } from '../../http/index.ts';
import type { AuditActor } from '../../platform/audit/index.ts';
import {
  ANSWERER_OF_CONVERSATIONS,
  forbidden,
  malformedCredential,
  noCredential,
  OWNER_OF_SPACE,
  READER_OF_CONVERSATIONS,
  roleOnBot,
  roleOnSpace,
  scopeInSpace,
  unknownKey,
  unknownSession,
  unknownToken,
  wrongCredential,
} from './access.errors.ts';
import {
  type Access,
  type AnswersAccess,
  type BotAccess,
  type Caller,
  type ConversationsAccess,
  type KeyCaller,
  type Need,
  proven,
  type SpaceAccess,
  type UserCaller,
} from './access.ts';
import { readConsoleToken } from './console-cookie.rules.ts';
import { readCredential } from './credential.rules.ts';
import type { Credentials } from './credential.service.ts';
import type { RightsRepository } from './rights.repository.ts';
import { highestRole, includesRole } from './role.rules.ts';

interface AccessServiceDeps {
  readonly credentials: Credentials;
  readonly rights: RightsRepository;
  readonly verifyWidgetSession: (token: string) => Promise<boolean>;
  /** Returns the URL that clients use, without a trailing slash. */
  readonly baseUrl: () => string;
}

export function createAccessService(deps: AccessServiceDeps): Access {
  const { credentials, rights } = deps;

  async function caller(request: FastifyRequest): Promise<Caller> {
    const who = await authenticate(request);
    setActor(request, actorFor(who), async () => {
      requireSameRights(who, await authenticate(request));
    });
    return who;
  }

  async function authenticate(request: FastifyRequest): Promise<Caller> {
    const credential = readCredential(request.headers);
    switch (credential.kind) {
      case 'none':
        return orThrow(await consoleUser(request), unknownSession);
      case 'malformed':
        throw malformedCredential(credential.problem);
      case 'jwt':
        if (await deps.verifyWidgetSession(credential.text))
          throw wrongCredential('widget session');
        throw unknownSession();
      case 'key':
        return orThrow(await credentials.key(credential.text), unknownKey);
      case 'session':
        return orThrow(await credentials.session(credential.text), unknownToken);
    }
  }

  async function consoleUser(request: FastifyRequest): Promise<UserCaller | null> {
    const token = readConsoleToken(request, deps.baseUrl());
    if (token === null) throw noCredential();
    return credentials.session(token);
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
    rejectKeyWithoutScope(who, need);
    // UUIDs are case-insensitive (RFC 9562, section 4) and stored in lower case.
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

  async function ownedSpace(who: UserCaller, givenId: string): Promise<SpaceAccess> {
    const spaceId = givenId.toLowerCase();
    const allowed = who.admin
      ? await rights.spaceExists(spaceId)
      : await rights.ownsSpace(who.userId, spaceId);
    if (!allowed) throw forbidden(OWNER_OF_SPACE);
    return proven<SpaceAccess>({ spaceId, caller: who });
  }

  async function conversations(who: Caller, givenId: string): Promise<ConversationsAccess> {
    const spaceId = givenId.toLowerCase();
    if (!(await hasConversationAccess(who, spaceId, 'conversations:read')))
      throw forbidden(READER_OF_CONVERSATIONS);
    return proven<ConversationsAccess>({ spaceId, caller: who });
  }

  async function answers(who: Caller, givenId: string): Promise<AnswersAccess> {
    const spaceId = givenId.toLowerCase();
    if (!(await hasConversationAccess(who, spaceId, 'conversations:write')))
      throw forbidden(ANSWERER_OF_CONVERSATIONS);
    return proven<AnswersAccess>({ spaceId, caller: who });
  }

  /** @param scope the scope that an API key needs. */
  async function hasConversationAccess(
    who: Caller,
    spaceId: string,
    scope: 'conversations:read' | 'conversations:write',
  ): Promise<boolean> {
    const allowed = await rights.conversationAccess(spaceId);
    if (allowed === undefined || allowed === 'nobody') return false;
    if (who.kind === 'key') return keyMay(who, spaceId, { role: 'owner', scope });
    if (who.admin) return true;
    return allowed === 'editors'
      ? hasRole(await rights.rolesInSpace(who.userId, spaceId), 'editor')
      : rights.ownsSpace(who.userId, spaceId);
  }

  async function rightsOn({ spaceId, caller: who }: SpaceAccess): Promise<SpaceRights | null> {
    if (who.kind === 'key') return null;
    const readsConversations = await hasConversationAccess(who, spaceId, 'conversations:read');
    if (who.admin) return { role: 'owner', ownsEveryBot: true, readsConversations };
    const role = highestRole(await rights.rolesInSpace(who.userId, spaceId));
    if (role === null) throw forbidden(roleOnSpace('viewer'));
    const ownsEveryBot = await rights.ownsSpace(who.userId, spaceId);
    return { role, ownsEveryBot, readsConversations };
  }

  async function bot(who: Caller, botId: number, need: Need): Promise<BotAccess> {
    rejectKeyWithoutScope(who, need);
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
    ownedSpace,
    conversations,
    answers,
    rightsOn,
    bot,
    consoleUser: async (request) => {
      if (readConsoleToken(request, deps.baseUrl()) === null) return null;
      const who = await consoleUser(request);
      // These operations have no body, so the credential cannot end while it arrives.
      if (who !== null) setActor(request, actorFor(who), async () => {});
      return who;
    },
    hasCredential: (request) =>
      readCredential(request.headers).kind !== 'none' ||
      readConsoleToken(request, deps.baseUrl()) !== null,
    key: credentials.key,
  };
}

/**
 * Rejects an API key if the operation accepts none. Runs before any lookup, so the error does not reveal whether the target
 * exists.
 */
function rejectKeyWithoutScope(who: Caller, need: Need): void {
  if (who.kind === 'key' && need.scope === undefined) throw wrongCredential('API key');
}

/** No lookup is needed: the key's own space exists, because deleting a space also deletes its keys. */
function keyMay(key: KeyCaller, spaceId: string, need: Need): boolean {
  return key.spaceId === spaceId && need.scope !== undefined && key.scopes.has(need.scope);
}

function needed(who: Caller, need: Need, roleWords: (role: Need['role']) => string): string {
  return who.kind === 'key' && need.scope !== undefined
    ? scopeInSpace(need.scope)
    : roleWords(need.role);
}

/** Throws 403 if a user was an administrator and no longer is. Roles are read when they are needed, and scopes of keys never change. */
function requireSameRights(before: Caller, now: Caller): void {
  const wasAdmin = before.kind === 'user' && before.admin;
  if (wasAdmin && !(now.kind === 'user' && now.admin))
    throw forbidden('an administrator of the installation');
}

function actorFor(who: Caller): AuditActor {
  return who.kind === 'key'
    ? { kind: 'api-key', id: who.keyId, sessionId: null }
    : { kind: 'user', id: who.userId, sessionId: who.sessionId };
}

function orThrow<C>(found: C | null, error: () => Error): C {
  if (found === null) throw error();
  return found;
}

function hasRole(roles: readonly Role[], needed: Role): boolean {
  return roles.some((role) => includesRole(role, needed));
}
