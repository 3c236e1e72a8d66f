import type { FastifyRequest } from 'fastify';
import type { ReplayRules } from '../../http/index.ts';
import type { Access, Caller, Need } from './access.ts';
import { readCredential } from './credential.rules.ts';

/** Returns the kind and ID of a caller, such as `key 0199f3a2-…`. */
export function nameOfCaller(caller: Caller): `${'key' | 'user'} ${string}` {
  return caller.kind === 'key' ? `key ${caller.keyId}` : `user ${caller.userId}`;
}

/** The rules of all idempotent operations that depend on the credential. */
export const OF_CREDENTIAL = { apiKey: apiKeyOf };

function apiKeyOf({ headers }: FastifyRequest, caller: Caller) {
  const credential = readCredential(headers);
  if (caller.kind !== 'key' || credential.kind !== 'key') return null;
  return { text: credential.text, spaceId: caller.spaceId };
}

/** Returns the rules of an idempotent operation that requires a right on the space of the created resource. */
export function replayWith(access: Pick<Access, 'space'>, need: Need): ReplayRules<Caller> {
  return {
    ...OF_CREDENTIAL,
    caller: nameOfCaller,
    authorize: (caller, spaceId) => access.space(caller, spaceId, need),
  };
}

/** Returns the rules of an idempotent operation that requires a right on the bot in its path. */
export function replayOnBot(access: Pick<Access, 'bot'>, need: Need): ReplayRules<Caller> {
  return {
    ...OF_CREDENTIAL,
    caller: nameOfCaller,
    authorize: (caller, _spaceId, { botId }) => access.bot(caller, Number(botId), need),
  };
}

/** The rules of an idempotent operation whose right was checked when the caller was authenticated. */
export const REPLAY_FOR_CALLER: ReplayRules<Caller> = {
  ...OF_CREDENTIAL,
  caller: nameOfCaller,
  authorize: async () => {},
};
