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
  const key = String(raw.headers[HEADER]);
  // Node.js joins repeated headers with a comma. Counting them is slow.
  const isJoined = key.includes(', ') && (raw.headersDistinct[HEADER] ?? []).length > 1;
  if (isJoined) throw invalidKey('is given twice');
  if (key === '') throw invalidKey('is empty');
  if (key.length > MAX_LENGTH) throw invalidKey(`has ${key.length} characters`);
  if (!PRINTABLE.test(key)) throw invalidKey('contains other characters');
  return key;
}

export function hasIdempotencyKey({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[HEADER] !== undefined;
}

type IdentifiedRequest = Pick<FastifyRequest, 'method' | 'url' | 'body'>;

/**
 * Returns the SHA-256 of a request's method, URL and body.
 *
 * @param bodyDigest identifies a body that the route reads itself.
 */
export function fingerprintOf(request: IdentifiedRequest, bodyDigest?: string): string {
  const body = bodyDigest === undefined ? bytesOf(request.body) : Buffer.from(bodyDigest);
  return hash('sha256', requestBytes('', request, body), 'base64url');
}

/** Returns the bytes of a text, a request's method, its URL and its body. */
export function requestBytes(
  text: string,
  { method, url, body }: IdentifiedRequest,
  bytes = bytesOf(body),
): Uint8Array {
  return Buffer.concat([Buffer.from(`${text}\n${method} ${url}\n`), bytes]);
}
