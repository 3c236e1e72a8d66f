const MINUTE_MS = 60_000;

/** When each of many did something in the last minute. Whoever has not for that long is forgotten. */
export class RecentTimes {
  readonly #mostKeys: number;
  /** Oldest first, and so are the keys by their newest time. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys;
  }

  /** Milliseconds until the last minute has fewer than `most` times of this key; 0: it has. */
  wait(key: string, most: number, now: number): number {
    const recent = this.#recent(key, now);
    const [oldest = now] = recent;
    return recent.length < most ? 0 : Math.max(1, oldest + MINUTE_MS - now);
  }

  add(key: string, now: number): void {
    const times = [...this.#recent(key, now), now];
    this.#times.delete(key);
    this.#times.set(key, times);
    for (const [other, others] of this.#times) {
      const isOver = (others.at(-1) ?? 0) <= now - MINUTE_MS;
      if (!isOver && this.#times.size <= this.#mostKeys) break;
      this.#times.delete(other);
    }
  }

  #recent(key: string, now: number): readonly number[] {
    return (this.#times.get(key) ?? []).filter((time) => time > now - MINUTE_MS);
  }
}
