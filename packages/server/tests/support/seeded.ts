export interface Seeded {
  /** From 0 up to 1, without it. */
  next(): number;
  /** A whole number from 0 up to `end`, without it. */
  below(end: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Random numbers that a seed makes again (mulberry32), so that a failure can be repeated. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
  };
}
