import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const PREFIX_LENGTH = 6;

/** A new token: 256 random bits in base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is stored instead of the token: its SHA-256, hex. Without a salt, since no 256 random bits can be guessed. */
export function hashOf(token: string): string {
  return hash('sha256', token);
}

/** The first characters of a token, to recognise it by. */
export function prefixOf(token: string): string {
  return token.slice(0, PREFIX_LENGTH);
}
