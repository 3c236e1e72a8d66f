import type { Role, Scope, SpaceRights } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';

/**
 * Authentication and authorisation. Every rejection is an `ApiError` with status 401 or 403.
 *
 * @example
 * const caller = await access.caller(request);
 * const space = await access.space(caller, spaceId, { role: 'editor', scope: 'links:write' });
 */
export interface Access {
  /**
   * Returns the caller by session, API key or the cookie of a console session. Throws 401 without a valid credential, 403 for a widget
   * session and for a cookie that a page of another origin may have caused the browser to send.
   */
  caller(request: FastifyRequest): Promise<Caller>;
  /** Like `caller`, but also throws 403 for an API key. */
  user(request: FastifyRequest): Promise<UserCaller>;
  /** Like `user`, but also throws 403 for users who are not administrators. */
  administrator(request: FastifyRequest): Promise<UserCaller>;
  /** Returns the user of the cookie of a console session, or null if there is no active one. Ignores other credentials. */
  consoleUser(request: FastifyRequest): Promise<UserCaller | null>;
  /** Reports whether the request has a credential in `Authorization`, `X-API-Key` or the cookie of a console session, valid or not. */
  hasCredential(request: FastifyRequest): boolean;
  /** Returns the API key with this text, or null if the key is unknown, expired or revoked. */
  key(text: string): Promise<KeyCaller | null>;
  /** Throws 403 unless the caller has the right on the space. A missing space causes the same error. */
  space(caller: Caller, spaceId: string, need: Need): Promise<SpaceAccess>;
  /** Throws 403 unless the caller is an administrator or owns every bot of the space. A missing space causes the same error. */
  ownedSpace(caller: UserCaller, spaceId: string): Promise<SpaceAccess>;
  /**
   * Throws 403 unless `conversationAccess` of the space lets the caller read its conversations. A missing space causes the same
   * error.
   */
  conversations(caller: Caller, spaceId: string): Promise<ConversationsAccess>;
  /** Like `conversations`, for a caller who answers in a conversation that was handed over. */
  answers(caller: Caller, spaceId: string): Promise<AnswersAccess>;
  /** Returns the rights of a user on a space, or null for an API key. Clients show only what these rights permit. */
  rightsOn(space: SpaceAccess): Promise<SpaceRights | null>;
  /** Throws 403 unless the caller has the right on this bot. A missing bot causes the same error. */
  bot(caller: Caller, botId: number, need: Need): Promise<BotAccess>;
}

declare const proof: unique symbol;

/** Marks types that only this module creates. A value of such a type proves that the check was done. */
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

/** An active API key. */
export interface KeyCaller extends Proven {
  readonly kind: 'key';
  readonly keyId: string;
  readonly spaceId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** An authenticated caller. `Access` checks the caller's rights. */
export type Caller = UserCaller | KeyCaller;

/** The right that a route requires. */
export interface Need {
  /** Minimum role of a user: `viewer` < `editor` < `owner`. */
  readonly role: Role;
  /** Scope that an API key must have. If omitted, API keys are rejected. */
  readonly scope?: Scope;
}

/** Proof that a caller has the requested right on a space. Queries for a space's data require this proof. */
export interface SpaceAccess extends Proven {
  readonly spaceId: string;
  readonly caller: Caller;
}

declare const mayReadConversations: unique symbol;

/** Proof that a caller may read the conversations of a space. */
export interface ConversationsAccess extends SpaceAccess {
  readonly [mayReadConversations]: true;
}

declare const mayAnswer: unique symbol;

/** Proof that a caller may answer in the conversations of a space. */
export interface AnswersAccess extends SpaceAccess {
  readonly [mayAnswer]: true;
}

/** Proof that a caller has the requested right on a bot. */
export interface BotAccess extends SpaceAccess {
  readonly botId: number;
}

/** Creates a value of a proven type. Call it only directly after the check that the type proves. */
export function proven<T extends Proven>(
  checked: Omit<T, keyof Proven | typeof mayReadConversations | typeof mayAnswer>,
): T {
  return checked as T;
}
