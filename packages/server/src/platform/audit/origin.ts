import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditRow } from '../../storage/ports/index.ts';

/** The user, API key, link or operator that performed an action. */
export interface AuditActor {
  readonly kind: AuditRow['actor_kind'];
  /** ID of the user, API key or link. Null for an operator and for a request without a valid credential. */
  readonly id: string | null;
  /** ID of the session with which a user sent the request. */
  readonly sessionId: string | null;
}

/** The origin of all actions of a request or command. */
export interface AuditOrigin {
  readonly actor: AuditActor;
  /** IP address of the client, or null for a command. */
  readonly address: string | null;
}

export const NOBODY: AuditActor = { kind: 'anonymous', id: null, sessionId: null };
export const OPERATOR: AuditOrigin = {
  actor: { kind: 'operator', id: null, sessionId: null },
  address: null,
};

const origins = new AsyncLocalStorage<AuditOrigin | null>();

/**
 * Calls a function whose actions, also asynchronous ones, have this origin.
 *
 * @param origin `null` for background work. Without it, work that a request wakes would be recorded as an action of this request.
 */
export function actingFrom<T>(origin: AuditOrigin | null, run: () => T): T {
  return origins.run(origin, run);
}

/** Returns the origin of the current action, or null for background work. */
export function currentOrigin(): AuditOrigin | null {
  return origins.getStore() ?? null;
}
