import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { bytesOf } from '../bodies/input.ts';
import { invalidKey } from './idempotency.errors.ts';

const HEADER = 'idempotency-key';
const PRINTABLE = /^[\x20-\x7e]+$/;
const MAX_LENGTH = 255;

/** Returns the `Idempotency-Key` of a request, or null if the request has none. Throws 400 for an invalid key. */
export function readIdempotencyKey({ raw }: Pick<FastifyRequest, 'raw'>): string | null {
  if (raw.headers[HEADER] === undefined) return null;
  const [key = '', ...others] = raw.headersDistinct[HEADER] ?? [];
  if (others.length > 0) throw invalidKey('is given twice');
  if (key === '') throw invalidKey('is empty');
  if (key.length > MAX_LENGTH) throw invalidKey(`has ${key.length} characters`);
  if (!PRINTABLE.test(key)) throw invalidKey('contains other characters');
  return key;
}

export function hasIdempotencyKey({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[HEADER] !== undefined;
}

/**
 * Returns the SHA-256 of a request's method, URL and body.
 *
 * @param secret is hashed too, so that the hash reveals nothing about a request that could be guessed.
 * @param bodyDigest identifies a body that the route reads itself.
 */
export function fingerprintOf(
  { method, url, body }: Pick<FastifyRequest, 'method' | 'url' | 'body'>,
  secret: string,
  bodyDigest?: string,
): string {
  const target = Buffer.from(`${secret}\n${method} ${url}\n`);
  const digested = bodyDigest === undefined ? bytesOf(body) : Buffer.from(bodyDigest);
  return hash('sha256', Buffer.concat([target, digested]), 'base64url');
}
