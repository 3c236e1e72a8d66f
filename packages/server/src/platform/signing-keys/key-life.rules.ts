/** When a key does what; times are Unix milliseconds. */
export interface KeyLife {
  /** From 1; each later key takes over from the one before. */
  readonly generation: number;
  readonly createdAt: number;
  readonly signsFrom: number;
  /** Until when all earlier keys verify. */
  readonly earlierUntil: number;
}

/** After so long a key is changed for another without anybody asking. */
export const MAX_AGE_MS = 90 * 86_400_000;
/**
 * So long a key is published before it signs: longer than replicas go without reading the keys, and
 * than others may keep the key set that they were given.
 */
export const PUBLISHED_BEFORE_MS = 10 * 60_000;
/**
 * So long a key verifies after the next one signs. Its last session is over after 15 minutes; a page that
 * wakes after a night is still told that its session has expired, and not that it never was one.
 */
export const VERIFIES_AFTER_MS = 86_400_000;

/** The life of the key that comes after this one. With `atOnce` nothing that was signed before is accepted any more. */
export function lifeAfter(
  newest: Pick<KeyLife, 'generation'>,
  now: number,
  { atOnce }: { readonly atOnce: boolean },
): KeyLife {
  const signsFrom = atOnce ? now : now + PUBLISHED_BEFORE_MS;
  const earlierUntil = atOnce ? now : signsFrom + VERIFIES_AFTER_MS;
  return { generation: newest.generation + 1, createdAt: now, signsFrom, earlierUntil };
}

/** The life of the first key of all: nobody can have asked for it before. */
export function firstLife(now: number): KeyLife {
  return { generation: 1, createdAt: now, signsFrom: now, earlierUntil: now };
}

/** Which key signs. While none does, since the clock of whoever made the only one is ahead, it is that one. */
export function signingAt<K extends KeyLife>(keys: readonly K[], now: number): K | undefined {
  const ordered = keys.toSorted((a, b) => b.generation - a.generation);
  return ordered.find(({ signsFrom }) => signsFrom <= now) ?? ordered.at(-1);
}

/** Which keys verify, the newest first. */
export function verifyingAt<K extends KeyLife>(keys: readonly K[], now: number): K[] {
  const over = endedBefore(keys, now);
  return keys
    .filter(({ generation }) => generation >= over)
    .toSorted((a, b) => b.generation - a.generation);
}

/** The generation before which no key verifies any more. */
export function endedBefore(keys: readonly KeyLife[], now: number): number {
  const ending = keys.filter(({ earlierUntil }) => earlierUntil <= now);
  return Math.max(0, ...ending.map(({ generation }) => generation));
}
