import type { ReplayRules } from '../../http/index.ts';
import type { Access, Caller, Need } from './access.ts';

/** Returns the kind and id of a caller, such as `key 0199f3a2-…`. */
export function nameOfCaller(caller: Caller): string {
  return caller.kind === 'key' ? `key ${caller.keyId}` : `user ${caller.userId}`;
}

/** Returns the rules of an idempotent operation that requires a right on the space of the created resource. */
export function replayWith(access: Pick<Access, 'space'>, need: Need): ReplayRules<Caller> {
  return {
    caller: nameOfCaller,
    authorize: (caller, spaceId) => access.space(caller, spaceId, need),
  };
}

/** The rules of an idempotent operation whose right was checked when the caller was authenticated. */
export const REPLAY_FOR_CALLER: ReplayRules<Caller> = {
  caller: nameOfCaller,
  authorize: async () => {},
};
