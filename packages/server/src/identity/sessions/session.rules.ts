import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { tokenHash } from '../access/credential.rules.ts';

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

const TOKEN_BYTES = 32;

/** Returns a new session token: 256 random bits in hexadecimal. Unlike base64url, it cannot begin like an API key. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

export interface NewSession extends ClientInfo {
  readonly id: string;
  readonly tokenHash: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export function newSession(token: string, client: ClientInfo, now: number): NewSession {
  const expiresAt = now + SESSION_SECONDS * 1000;
  return { id: randomUUIDv7(), tokenHash: tokenHash(token), now, expiresAt, ...client };
}
