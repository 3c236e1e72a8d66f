import type { FastifyRequest } from 'fastify';
import { type AuditActor, NOBODY } from '../platform/audit/index.ts';

const actors = new WeakMap<FastifyRequest, AuditActor>();

/** Called when the credential of a request was verified. The audit names this actor. */
export function setActor(request: FastifyRequest, actor: AuditActor): void {
  actors.set(request, actor);
}

/** Returns the verified sender of a request, or `NOBODY`. */
export function actorOf(request: FastifyRequest): AuditActor {
  return actors.get(request) ?? NOBODY;
}
