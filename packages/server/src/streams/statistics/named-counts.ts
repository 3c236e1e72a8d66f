import { MinuteCounts } from './minute-counts.ts';

/** Names that are counted apart; the rest is counted together. */
const MOST_NAMES = 50;
/** UTF-16 units; longer names are counted with the rest, since a sender may choose them without end. */
const LONGEST_NAME = 200;

/** Counts by names that senders choose, in bounded memory. */
export class NamedCounts {
  readonly #named = new Map<string, MinuteCounts>();
  readonly #others = new MinuteCounts();
  #sweptAt = 0;

  /** @param name null: of the others. */
  add(name: string | null, minute: number, amount: number): void {
    const counts = name === null ? this.#others : this.#countsOf(name, minute);
    counts.add(minute, amount);
  }

  /** What was counted in a minute, by name; null stands for all others. */
  of(minute: number): [name: string | null, count: number][] {
    const named = [...this.#named].map(([name, counts]) => [name, counts.of(minute)] as const);
    return [...named, [null, this.#others.of(minute)] as const]
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name, count]);
  }

  /** By name, the most frequent first, without those that were not counted; null stands for all others. */
  read(minute: number): { name: string | null; counts: number[] }[] {
    const named = [...this.#named].map(([name, counts]) => ({ name, counts: counts.read(minute) }));
    const others = { name: null, counts: this.#others.read(minute) };
    return [...named.toSorted((a, b) => sum(b.counts) - sum(a.counts)), others].filter(
      ({ counts }) => sum(counts) > 0,
    );
  }

  #countsOf(name: string, minute: number): MinuteCounts {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    if (this.#named.size >= MOST_NAMES) this.#forget(minute);
    if (this.#named.size >= MOST_NAMES || name.length > LONGEST_NAME) return this.#others;
    const counts = new MinuteCounts();
    this.#named.set(name, counts);
    return counts;
  }

  /** Makes room for names by those that were not seen in all of the window; once a minute at most. */
  #forget(minute: number): void {
    if (this.#sweptAt === minute) return;
    this.#sweptAt = minute;
    for (const [name, counts] of this.#named) if (counts.isOver(minute)) this.#named.delete(name);
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
