import type { Rate } from '../../ports/shared.ts';

/** Times are Unix milliseconds. */
export interface Refusal {
  /** When there will be room. */
  readonly freeAt: number;
  readonly from: number;
  /** Until when it is certain that there is none. */
  readonly sureUntil: number;
}

const MOST = 10_000;

/** Who is refused anyway, so that the database need not be asked. The oldest are forgotten first. */
export class Refusals {
  readonly #refusals = new Map<string, Refusal>();

  remember(rate: Rate, refusal: Refusal): void {
    const name = nameOf(rate);
    this.#refusals.delete(name);
    this.#refusals.set(name, refusal);
    if (this.#refusals.size <= MOST) return;
    const [oldest] = this.#refusals.keys();
    if (oldest !== undefined) this.#refusals.delete(oldest);
  }

  /** Milliseconds until there will be room; null: ask. */
  of(rate: Rate, now: number): number | null {
    const name = nameOf(rate);
    const refusal = this.#refusals.get(name);
    if (refusal === undefined) return null;
    // Before it was refused: the clock was set back.
    if (now >= refusal.from && now < refusal.sureUntil) return refusal.freeAt - now;
    this.#refusals.delete(name);
    return null;
  }
}

function nameOf({ limit, key }: Rate): string {
  return `${limit} ${key}`;
}
