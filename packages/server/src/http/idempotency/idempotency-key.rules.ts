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
  return hashOfRequest('', request, body);
}

/** Position in a SHA-256 in base64url, before its last 17 bytes. */
const LAST_17_BYTES = 20;

/**
 * Returns a hash of a request whose body is in memory: 17 bytes in base64url. It is the end of the link's token, so it is secret.
 *
 * @param secret makes the hash secret.
 */
export function requestHashOf(request: IdentifiedRequest, secret: string): string {
  return hashOfRequest(secret, request, bytesOf(request.body)).slice(LAST_17_BYTES);
}

function hashOfRequest(
  secret: string,
  { method, url }: Pick<IdentifiedRequest, 'method' | 'url'>,
  body: Uint8Array,
): string {
  const bytes = Buffer.concat([Buffer.from(`${secret}\n${method} ${url}\n`), body]);
  return hash('sha256', bytes, 'base64url');
}
