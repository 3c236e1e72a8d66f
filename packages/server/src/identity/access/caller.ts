import type { Role, Scope } from '@gatehouse/contract';

declare const proof: unique symbol;

/** Marks types that only this identity can make, so that holding one proves the check was done. */
export interface Proven {
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
