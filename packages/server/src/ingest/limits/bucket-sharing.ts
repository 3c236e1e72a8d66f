import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/scheduling/index.ts';
import { FirstFailure } from '../../lib/scheduling/index.ts';
import type { SharedBuckets } from '../../storage/ports/index.ts';
import type { Buckets } from './rate.rules.ts';

/** Buckets that this process takes from by itself and tells the others about. */
export interface ToldBuckets {
  readonly limit: string;
  readonly buckets: Buckets;
}

interface Untold {
  readonly told: ToldBuckets;
  readonly key: string;
  amount: number;
}

export interface BucketSharingOptions {
  readonly shared: SharedBuckets;
  readonly clock: Clock;
  /** Hears the first of several failures in a row. */
  readonly onError: (error: unknown) => void;
}

/** For how long takings gather before they are told, milliseconds. */
const GATHER_MS = 250;

/**
 *   idle ──taken──▶ gathering ──250 ms──▶ telling ──▶ gathering if more was taken meanwhile, else idle
 *
 * A request waits for nobody: it goes by what this process took since and by what the others had told when it
 * last told them. What the database could not be told is dropped, since nothing of such requests was kept.
 */
export class BucketSharing {
  readonly #options: BucketSharingOptions;
  readonly #closing = new AbortController();
  #untold = new Map<string, Untold>();
  /** Null while idle. */
  #working: Promise<void> | null = null;
  readonly #failures: FirstFailure;

  constructor(options: BucketSharingOptions) {
    this.#options = options;
    this.#failures = new FirstFailure(options.onError);
  }

  taken(told: ToldBuckets, key: string, amount: number): void {
    const name = `${told.limit} ${key}`;
    const known = this.#untold.get(name);
    if (known === undefined) this.#untold.set(name, { told, key, amount });
    else known.amount += amount;
    this.#working ??= this.#work();
  }

  /** Resolves when nothing is being told any more, and nothing will be. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#untold.size > 0 && !signal.aborted) {
      await sleep(GATHER_MS, null, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.#tell();
    }
    this.#working = null;
  }

  async #tell(): Promise<void> {
    const telling = [...this.#untold.values()];
    this.#untold = new Map();
    await this.#failures.of(async () => {
      const fullIn = await this.#options.shared.take(
        telling.map(({ told: { limit, buckets }, key, amount }) => ({
          limit,
          key,
          ms: (amount / buckets.rate) * 1000,
        })),
      );
      this.#adopt(telling, fullIn);
    });
  }

  #adopt(told: readonly Untold[], fullIn: readonly number[]): void {
    const now = this.#options.clock();
    for (const [index, { told: all, key }] of told.entries()) {
      const { limit, buckets } = all;
      const since = this.#untold.get(`${limit} ${key}`)?.amount ?? 0;
      const left = buckets.rate * (1 - (fullIn[index] ?? 0) / 1000);
      buckets.set(key, left - since, now);
    }
  }
}
