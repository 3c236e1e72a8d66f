import type { FastifyRequest } from 'fastify';
import type { BotAccess, Caller, KeyCaller, Need, SpaceAccess, UserCaller } from './caller.ts';

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
