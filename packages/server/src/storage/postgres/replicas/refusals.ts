import { LRUCache } from 'lru-cache';
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
  readonly #refusals = new LRUCache<string, Refusal>({ max: MOST });

  remember(rate: Rate, refusal: Refusal): void {
    this.#refusals.set(nameOf(rate), refusal);
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
