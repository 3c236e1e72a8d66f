import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { RunningReplay } from './replay.rules.ts';

/** Limits of the deliveries in memory. They are low, because live deliveries share the memory. */
const MAX_UNSTORED = 256;
const MAX_TEXT_BYTES = 1024 * 1024;

export interface ReplayCheckpoint {
  readonly number: number;
  readonly position: number;
  readonly isFinished: boolean;
}

/**
 * The progress of one replay. The deliveries of a replay have rows only after a failed attempt, like live deliveries, so
 * `position` stays before the first delivery that exists only in memory.
 */
export class ReplayProgress {
  readonly #replay: RunningReplay;
  /** Deliveries without a row, in ascending order of their positions. */
  readonly #unstored = new Map<number, PendingDelivery>();
  #readThrough: number;
  #textBytes = 0;

  constructor(replay: RunningReplay) {
    this.#replay = replay;
    this.#readThrough = replay.position;
  }

  get from(): number {
    return this.#replay.from;
  }

  get readThrough(): number {
    return this.#readThrough;
  }

  get hasCapacity(): boolean {
    return this.#unstored.size < MAX_UNSTORED && this.#textBytes < MAX_TEXT_BYTES;
  }

  /** Returns the last position that may be read. The replay never overtakes the live deliveries. */
  limit(livePosition: number): number {
    return Math.min(this.#replay.through, livePosition);
  }

  addPage(items: readonly PendingDelivery[], through: number): void {
    for (const item of items) {
      this.#unstored.set(item.position, item);
      this.#textBytes += item.bytes;
    }
    this.#readThrough = through;
  }

  /** Must be called when a delivery is finished or has a row. */
  remove(item: PendingDelivery): void {
    if (this.#unstored.delete(item.position)) this.#textBytes -= item.bytes;
  }

  snapshot(): ReplayCheckpoint {
    const { number, through } = this.#replay;
    const [first] = this.#unstored.keys();
    const position = first === undefined ? this.#readThrough : first - 1;
    return { number, position, isFinished: position >= through };
  }
}
