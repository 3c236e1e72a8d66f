/** When a key signs and verifies. Times are Unix milliseconds. */
export interface KeySchedule {
  /** From 1. Each key replaces the one of the generation before. */
  readonly generation: number;
  readonly createdAt: number;
  readonly signsFrom: number;
  /** The time until which all earlier keys verify. */
  readonly earlierUntil: number;
}

/** Age at which a key is replaced automatically. */
export const MAX_AGE_MS = 90 * 86_400_000;
/**
 * Time for which a key is published before it signs: longer than replicas cache the keys, and than others may cache the
 * key set.
 */
export const PUBLISHED_BEFORE_MS = 10 * 60_000;
/**
 * Time for which a key verifies after the next one signs. Its last session ends after 15 minutes; after a longer time a
 * page still learns that its session has expired, rather than that it is invalid.
 */
export const VERIFIES_AFTER_MS = 86_400_000;

/** Returns the schedule of the first key. */
export function firstSchedule(now: number): KeySchedule {
  return { generation: 1, createdAt: now, signsFrom: now, earlierUntil: now };
}

/** Returns the schedule of the key after the newest. With `atOnce` it signs now, and earlier keys stop verifying. */
export function nextSchedule(
  newest: Pick<KeySchedule, 'generation'>,
  now: number,
  { atOnce }: { readonly atOnce: boolean },
): KeySchedule {
  const signsFrom = atOnce ? now : now + PUBLISHED_BEFORE_MS;
  const earlierUntil = atOnce ? now : signsFrom + VERIFIES_AFTER_MS;
  return { generation: newest.generation + 1, createdAt: now, signsFrom, earlierUntil };
}

/** Returns the schedule of the key to create now, or `null` if the newest key is young enough. */
export function dueSchedule(newest: KeySchedule | undefined, now: number): KeySchedule | null {
  if (newest === undefined) return firstSchedule(now);
  return newest.createdAt + MAX_AGE_MS <= now ? nextSchedule(newest, now, { atOnce: false }) : null;
}

/**
 * Returns the key that signs. If none does yet, because the clock of the replica that created the only key is ahead,
 * that key signs.
 */
export function signingKeyAt<K extends KeySchedule>(
  keys: readonly K[],
  now: number,
): K | undefined {
  const ordered = keys.toSorted((a, b) => b.generation - a.generation);
  return ordered.find(({ signsFrom }) => signsFrom <= now) ?? ordered.at(-1);
}

/** Returns the keys that verify, newest first. */
export function verifyingKeysAt<K extends KeySchedule>(keys: readonly K[], now: number): K[] {
  const first = firstVerifyingGeneration(keys, now);
  return keys
    .filter(({ generation }) => generation >= first)
    .toSorted((a, b) => b.generation - a.generation);
}

/** Returns the generation before which no key verifies. */
export function firstVerifyingGeneration(keys: readonly KeySchedule[], now: number): number {
  const ending = keys.filter(({ earlierUntil }) => earlierUntil <= now);
  return Math.max(0, ...ending.map(({ generation }) => generation));
}
