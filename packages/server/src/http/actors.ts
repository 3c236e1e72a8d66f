import type { FastifyRequest } from 'fastify';
import { type AuditActor, NOBODY } from '../platform/audit/index.ts';

interface Authenticated {
  readonly actor: AuditActor;
  readonly confirm: () => Promise<void>;
}

const authenticated = new WeakMap<FastifyRequest, Authenticated>();

/**
 * Called when the credential of a request was verified. The audit names this actor.
 *
 * @param confirm verifies the credential again. Rejects if it has ended or permits less than before.
 */
export function setActor(
  request: FastifyRequest,
  actor: AuditActor,
  confirm: () => Promise<void>,
): void {
  authenticated.set(request, { actor, confirm });
}

/** Returns the verified sender of a request, or `NOBODY`. */
export function actorOf(request: FastifyRequest): AuditActor {
  return authenticated.get(request)?.actor ?? NOBODY;
}

/** Verifies the credential of a request again, because it can end while the body arrives. Does nothing without a verified sender. */
export async function confirmActor(request: FastifyRequest): Promise<void> {
  await authenticated.get(request)?.confirm();
}
