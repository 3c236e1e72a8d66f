import type { FastifyRequest } from 'fastify';

/** Lifetime of a session in seconds. Use does not extend it. */
export const SESSION_SECONDS = 7 * 24 * 3600;

const MAX_USER_AGENT_LENGTH = 500;

/** The client that created a session, shown to the user. */
export interface ClientInfo {
  readonly address: string;
  /** Null if the client sent no `User-Agent` header. */
  readonly userAgent: string | null;
}

export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): ClientInfo {
  const userAgent = headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
  return { address: ip, userAgent };
}
