/** Minutes that are looked back on, the one under way included. */
export const WINDOW = 60;

/** Whole minutes since 1970. */
export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / 60_000);
}

/** What was counted in each of the last minutes. */
export class MinuteCounts {
  /** The n-th holds the minutes that leave the rest n. */
  readonly #counts = new Float64Array(WINDOW);
  #newest = 0;

  /** What was counted at last may be forgotten from the next minute on. */
  isOver(minute: number): boolean {
    return this.#newest <= minute - WINDOW;
  }

  /** A minute that is too old, since a clock was set back, is not counted. */
  add(minute: number, amount: number): void {
    if (minute > this.#newest) this.#moveTo(minute);
    if (minute <= this.#newest - WINDOW) return;
    const place = minute % WINDOW;
    this.#counts[place] = (this.#counts[place] ?? 0) + amount;
  }

  /** What was counted in a minute; 0 where that is forgotten. */
  of(minute: number): number {
    const isKept = minute <= this.#newest && minute > this.#newest - WINDOW;
    return isKept ? (this.#counts[minute % WINDOW] ?? 0) : 0;
  }

  /** One number for each minute of the window that ends with this one, oldest first. */
  read(minute: number): number[] {
    return Array.from({ length: WINDOW }, (_, index) => this.of(minute - WINDOW + 1 + index));
  }

  #moveTo(minute: number): void {
    const first = Math.max(this.#newest + 1, minute - WINDOW + 1);
    for (let passed = first; passed <= minute; passed += 1) this.#counts[passed % WINDOW] = 0;
    this.#newest = minute;
  }
}
