import type { PendingDelivery } from '../deliveries/pending.ts';
import type { Progress } from '../deliveries/progress.repository.ts';

type Change = 'save' | 'remove';

/** Changes of rows that are yet to be written: of each delivery the last one alone. */
export class Changes {
  #changes = new Map<PendingDelivery, Change>();

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  /** Of deliveries with a change that is yet to be written. */
  get positions(): ReadonlySet<number> {
    return new Set([...this.#changes.keys()].map(({ position }) => position));
  }

  /** The delivery needs its row as it is now. */
  save(item: PendingDelivery): void {
    if (item.row === 'none') item.row = 'wanted';
    this.#changes.set(item, 'save');
  }

  /** The delivery needs no row any more. */
  remove(item: PendingDelivery): void {
    this.#changes.set(item, 'remove');
  }

  /**
   * Takes what there is, to be written; what comes from here on is written the next time.
   *
   * @returns what to write, and what to call when that is known to be done or to have failed.
   */
  take(): Pick<Progress, 'added' | 'changed' | 'removed'> & {
    readonly written: () => readonly PendingDelivery[];
    readonly failed: () => void;
  } {
    const taken = this.#changes;
    this.#changes = new Map();
    const saved = [...taken].filter(([, change]) => change === 'save').map(([item]) => item);
    const added = saved.filter(({ row }) => row === 'wanted');
    return {
      added,
      changed: saved.filter(({ row }) => row === 'kept'),
      // One that was never written is removed as well: a write that failed may have been kept.
      removed: [...taken]
        .filter(([, change]) => change === 'remove')
        .map(([{ position }]) => position),
      written: () => {
        for (const item of added) item.row = 'kept';
        return added;
      },
      failed: () => {
        for (const [item, change] of taken)
          if (!this.#changes.has(item)) this.#changes.set(item, change);
      },
    };
  }
}
