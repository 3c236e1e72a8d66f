import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { LaneItem, Lanes } from './lanes.ts';

/** Order of the kinds after an attempt of a kind was started. */
const START_ORDER = {
  new: ['due', 'replay', 'new'],
  due: ['new', 'replay', 'due'],
  replay: ['new', 'due', 'replay'],
} as const;

/** The running attempts of an outbox. Due, new and replayed deliveries alternate, so no kind delays the others. */
export class RunningAttempts {
  #count = 0;
  #newCount = 0;
  #replayedCount = 0;
  #lastStarted: keyof typeof START_ORDER = 'new';
  #onIdle: (() => void) | null = null;

  get count(): number {
    return this.#count;
  }

  /** Number of attempts of deliveries that have no stored row yet. */
  get newCount(): number {
    return this.#newCount;
  }

  /**
   * Takes the next delivery from its lane. Returns `undefined` if no delivery may be attempted now.
   *
   * @param limits.maxRunning maximum number of running attempts. Replayed deliveries use at most a quarter of it.
   * @param limits.mayTryNew `false`: only due deliveries may be attempted.
   */
  startNext(
    lanes: Pick<Lanes, 'start'>,
    { maxRunning, mayTryNew }: { readonly maxRunning: number; readonly mayTryNew: boolean },
  ): LaneItem | undefined {
    const mayReplay = this.#replayedCount < Math.max(1, maxRunning / 4);
    for (const kind of START_ORDER[this.#lastStarted]) {
      if ((kind !== 'due' && !mayTryNew) || (kind === 'replay' && !mayReplay)) continue;
      const started = lanes.start(kind);
      if (started === undefined) continue;
      this.#lastStarted = kind;
      return started;
    }
    return undefined;
  }

  /** Counts an attempt as running. The returned function ends it. */
  add({ row, isReplayed }: Pick<PendingDelivery, 'row' | 'isReplayed'>): () => void {
    const isNew = row === 'none' ? 1 : 0;
    const isReplay = isNew === 1 && isReplayed ? 1 : 0;
    const change = (by: 1 | -1) => {
      this.#count += by;
      this.#newCount += by * isNew;
      this.#replayedCount += by * isReplay;
    };
    change(1);
    return () => change(-1);
  }

  /** Resolves `waitUntilIdle` if no attempt is running. Call it after the outcome of an attempt was recorded. */
  reportIdle(): void {
    if (this.#count === 0) this.#onIdle?.();
  }

  /** Waits until no attempt is running, for at most `withinMs` milliseconds. */
  async waitUntilIdle(withinMs: number): Promise<void> {
    if (this.#count === 0 || withinMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
  }
}
