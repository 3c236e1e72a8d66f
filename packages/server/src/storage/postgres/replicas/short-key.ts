import { hash } from 'node:crypto';

/** Stands for a key of any length, and shows nobody who looks into the tables an address or a person. */
export function shortKey(key: string): string {
  return hash('sha256', key, 'base64url');
}
