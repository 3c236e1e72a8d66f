import { hash } from 'node:crypto';

/**
 * What is kept of a secret token: its SHA-256, hex. No salt and no slow hash, because the tokens are
 * random and long (at least 190 bits), so nothing can be guessed from the hash. For the same reason
 * finding a row by it needs no comparison in constant time: whoever times the index learns about a
 * hash that they cannot steer.
 */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}
