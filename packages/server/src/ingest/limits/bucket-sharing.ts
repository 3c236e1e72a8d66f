import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/scheduling/index.ts';
import { FirstFailure } from '../../lib/scheduling/index.ts';
import type { SharedBuckets } from '../../storage/ports/index.ts';
import type { Buckets } from './rate.rules.ts';

/** Local buckets whose consumption is reported to the other replicas. */
export interface SharedLimit {
  /** Name of the limit in the shared store. */
  readonly limit: string;
  readonly buckets: Buckets;
}

interface Consumption {
  readonly shared: SharedLimit;
  readonly key: string;
  amount: number;
}

export interface BucketSharingOptions {
  readonly shared: SharedBuckets;
  readonly clock: Clock;
  /** Called for the first of several consecutive failures. */
  readonly onError: (error: unknown) => void;
}

const COLLECT_MS = 250;

/**
 * Synchronises local token buckets with the shared store.
 *
 *   idle ──report──▶ collecting ──250 ms──▶ sending ──▶ collecting if there are new reports, else idle
 *
 * Requests never wait for the shared store. They use the last shared level minus the local consumption since then.
 * Reports that cannot be sent are dropped, because the database is then unavailable and does not store the reported
 * events either.
 */
export class BucketSharing {
  readonly #options: BucketSharingOptions;
  readonly #closing = new AbortController();
  #pending = new Map<string, Consumption>();
  /** Null while idle. */
  #working: Promise<void> | null = null;
  readonly #failures: FirstFailure;

  constructor(options: BucketSharingOptions) {
    this.#options = options;
    this.#failures = new FirstFailure(options.onError);
  }

  report(shared: SharedLimit, key: string, amount: number): void {
    const name = `${shared.limit} ${key}`;
    const known = this.#pending.get(name);
    if (known === undefined) this.#pending.set(name, { shared, key, amount });
    else known.amount += amount;
    this.#working ??= this.#work();
  }

  /** Stops the synchronisation. Pending reports are dropped. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#pending.size > 0 && !signal.aborted) {
      await sleep(COLLECT_MS, null, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.#send();
    }
    this.#working = null;
  }

  async #send(): Promise<void> {
    const sending = [...this.#pending.values()];
    this.#pending = new Map();
    await this.#failures.of(async () => {
      const fullIn = await this.#options.shared.take(
        sending.map(({ shared: { limit, buckets }, key, amount }) => ({
          limit,
          key,
          ms: (amount / buckets.rate) * 1000,
        })),
      );
      this.#adopt(sending, fullIn);
    });
  }

  #adopt(sent: readonly Consumption[], fullIn: readonly number[]): void {
    const now = this.#options.clock();
    for (const [index, { shared, key }] of sent.entries()) {
      const { limit, buckets } = shared;
      const since = this.#pending.get(`${limit} ${key}`)?.amount ?? 0;
      const left = buckets.rate * (1 - (fullIn[index] ?? 0) / 1000);
      buckets.set(key, left - since, now);
    }
  }
}
