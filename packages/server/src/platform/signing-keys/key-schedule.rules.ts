import { DAY_MS, MINUTE_MS } from '../../lib/scheduling/index.ts';

/** The periods in which a key signs and verifies. Times are Unix milliseconds. */
export interface KeySchedule {
  /** Sequence number, starting at 1. Each key replaces the key of the previous generation. */
  readonly generation: number;
  readonly createdAt: number;
  readonly signsFrom: number;
  /** Time at which all earlier keys stop verifying. */
  readonly earlierUntil: number;
}

export const MAX_AGE_MS = 90 * DAY_MS;
/** Milliseconds for which a key is published before it signs. Replicas and clients cache the key set for a shorter time. */
export const PUBLISHED_BEFORE_MS = 10 * MINUTE_MS;
/**
 * Milliseconds for which a key still verifies after the next key starts to sign. The last session signed by the old key expires
 * after 15 minutes. Until the key stops verifying, the service can report such a session as expired instead of invalid.
 */
export const VERIFIES_AFTER_MS = DAY_MS;

function firstSchedule(now: number): KeySchedule {
  return { generation: 1, createdAt: now, signsFrom: now, earlierUntil: now };
}

/** Returns the schedule of the next key. With `atOnce`, the next key signs now and all earlier keys stop verifying. */
export function nextSchedule(
  newest: Pick<KeySchedule, 'generation'>,
  now: number,
  { atOnce }: { readonly atOnce: boolean },
): KeySchedule {
  const signsFrom = atOnce ? now : now + PUBLISHED_BEFORE_MS;
  const earlierUntil = atOnce ? now : signsFrom + VERIFIES_AFTER_MS;
  return { generation: newest.generation + 1, createdAt: now, signsFrom, earlierUntil };
}

/** Returns the schedule of the key to create now, or `null` if no new key is due. */
export function dueSchedule(newest: KeySchedule | undefined, now: number): KeySchedule | null {
  if (newest === undefined) return firstSchedule(now);
  return newest.createdAt + MAX_AGE_MS <= now ? nextSchedule(newest, now, { atOnce: false }) : null;
}

/**
 * Returns the key that signs. If only a key from a replica with a faster clock exists, returns that key before it becomes
 * active.
 */
export function signingKeyAt<K extends KeySchedule>(
  keys: readonly K[],
  now: number,
): K | undefined {
  const ordered = keys.toSorted((a, b) => b.generation - a.generation);
  return ordered.find(({ signsFrom }) => signsFrom <= now) ?? ordered.at(-1);
}

export function verifyingKeysAt<K extends KeySchedule>(keys: readonly K[], now: number): K[] {
  const first = firstVerifyingGeneration(keys, now);
  return keys
    .filter(({ generation }) => generation >= first)
    .toSorted((a, b) => b.generation - a.generation);
}

/** Returns the earliest generation whose keys still verify. */
export function firstVerifyingGeneration(keys: readonly KeySchedule[], now: number): number {
  const ending = keys.filter(({ earlierUntil }) => earlierUntil <= now);
  return Math.max(0, ...ending.map(({ generation }) => generation));
}
