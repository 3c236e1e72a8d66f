import { randomBytes } from 'node:crypto';
import type { ApiKey, Issue, Scope } from '@gatehouse/contract';
import { toTime } from '../../lib/scheduling/index.ts';

const KEY_BYTES = 32;
const PREFIX_LENGTH = 7;

/** A stored API key. Times are Unix milliseconds. */
export interface StoredKey {
  readonly id: string;
  readonly space_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: string;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

/** Returns a new key: `gh_` and 256 random bits in base64url, 46 characters in total. */
export function newKeyText(): string {
  return `gh_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** Returns the prefix that is stored and shown to help users recognise a key. */
export function keyPrefix(text: string): string {
  return text.slice(0, PREFIX_LENGTH);
}

/** Returns an issue if `expiresAt` is not in the future. The schema reports values that are not a time. */
export function expiryIssues(body: Readonly<Record<string, unknown>>, now: number): Issue[] {
  const { expiresAt } = body;
  if (typeof expiresAt !== 'string') return [];
  const time = Date.parse(expiresAt);
  return time <= now ? [{ message: 'expiresAt: must be in the future' }] : [];
}

export function formatKey(key: StoredKey): ApiKey {
  return {
    id: key.id,
    spaceId: key.space_id,
    name: key.name,
    prefix: key.prefix,
    scopes: JSON.parse(key.scopes) as Scope[],
    expiresAt: toTime(key.expires_at),
    createdAt: toTime(key.created_at),
    lastUsedAt: toTime(key.last_used_at),
  };
}
