import type { Role, Scope } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';

/** Who calls, and what they may do. Every refusal is an `ApiError`, 401 or 403. */
export interface Access {
  /** The caller of a request by session or API key: 401 without one, 403 with a widget session. */
  caller(request: FastifyRequest): Promise<Caller>;
  /** The same where only people may call: 403 for an API key. */
  user(request: FastifyRequest): Promise<UserCaller>;
  /** The same where only administrators may call. */
  administrator(request: FastifyRequest): Promise<UserCaller>;
  /** Whether the request carries a credential in `Authorization` or `X-API-Key` at all. */
  hasCredential(request: FastifyRequest): boolean;
  /** The live key with this text, wherever it was sent; null when it is unknown, expired or revoked. */
  key(text: string): Promise<KeyCaller | null>;
  /** 403 unless the caller has the right on the space; a space that does not exist is the same 403. */
  space(caller: Caller, spaceId: string, need: Need): Promise<SpaceAccess>;
  /** 403 unless the caller has the right on this very bot; one that does not exist is the same 403. */
  bot(caller: Caller, botId: number, need: Need): Promise<BotAccess>;
}

declare const proof: unique symbol;

/** Marks types that only this module can make, so that holding one proves the check was done. */
interface Proven {
  readonly [proof]: true;
}

/** A signed-in, enabled user. */
export interface UserCaller extends Proven {
  readonly kind: 'user';
  readonly userId: string;
  readonly admin: boolean;
  readonly sessionId: string;
}

/** A live API key. */
export interface KeyCaller extends Proven {
  readonly kind: 'key';
  readonly keyId: string;
  readonly spaceId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** Whoever authenticated; what they may do is asked of `Access`. */
export type Caller = UserCaller | KeyCaller;

/** What a route asks for: a user's role (`viewer` < `editor` < `owner`), and a key's scope. */
export interface Need {
  readonly role: Role;
  /** Absent: keys are refused. */
  readonly scope?: Scope;
}

/** A caller that may act on a space as it was asked for. Queries on a space's data take this. */
export interface SpaceAccess extends Proven {
  readonly spaceId: string;
  readonly caller: Caller;
}

/** A caller that may act on a bot as it was asked for. */
export interface BotAccess extends SpaceAccess {
  readonly botId: number;
}

/** Makes a proven value: call it only where the check that the type stands for was just done. */
export function proven<T extends Proven>(checked: Omit<T, keyof Proven>): T {
  return checked as T;
}
