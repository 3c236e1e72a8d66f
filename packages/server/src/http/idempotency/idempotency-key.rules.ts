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

/** Length of 132 bits in base64url. */
const REQUEST_HASH_LENGTH = 22;

/**
 * Returns a hash of a request whose body is in memory. A link contains it, to recognize a repetition of its request.
 *
 * @param token the token of the link. It is secret, so the hash reveals nothing about a request that could be guessed.
 */
export function requestHashOf(request: IdentifiedRequest, token: string): string {
  return hashOfRequest(token, request, bytesOf(request.body)).slice(0, REQUEST_HASH_LENGTH);
}

function hashOfRequest(
  salt: string,
  { method, url }: Pick<IdentifiedRequest, 'method' | 'url'>,
  body: Uint8Array,
): string {
  const bytes = Buffer.concat([Buffer.from(`${salt}\n${method} ${url}\n`), body]);
  return hash('sha256', bytes, 'base64url');
}
