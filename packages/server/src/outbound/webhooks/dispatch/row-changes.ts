import type { Checkpoint } from '../deliveries/checkpoint.repository.ts';
import type { PendingDelivery } from '../deliveries/pending-delivery.ts';

type Change = 'upsert' | 'delete';

/** A batch of changes to write. The caller must call `commit` after a successful write and `rollback` after a failed one. */
export interface RowBatch extends Pick<Checkpoint, 'added' | 'changed' | 'removed'> {
  readonly commit: () => void;
  readonly rollback: () => void;
}

export class RowChanges {
  #changes = new Map<PendingDelivery, Change>();

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  get positions(): ReadonlySet<number> {
    return new Set([...this.#changes.keys()].map(({ position }) => position));
  }

  has(item: PendingDelivery): boolean {
    return this.#changes.has(item);
  }

  upsert(item: PendingDelivery): void {
    if (item.row === 'none') item.row = 'unsaved';
    this.#changes.set(item, 'upsert');
  }

  delete(item: PendingDelivery): void {
    this.#changes.set(item, 'delete');
  }

  /** Takes all changes. Later changes belong to the next batch. */
  take(): RowBatch {
    const taken = this.#changes;
    this.#changes = new Map();
    const of = (wanted: Change) =>
      [...taken].filter(([, change]) => change === wanted).map(([item]) => item);
    const upserted = of('upsert').map((item) => ({ item, at: Math.round(item.nextAttemptAt) }));
    const added = of('upsert').filter(({ row }) => row === 'unsaved');
    return {
      added,
      changed: of('upsert').filter(({ row }) => row === 'stored'),
      // Includes unsaved rows, because a write that seemed to fail may have stored them.
      removed: of('delete').map(({ position }) => position),
      commit: () => {
        for (const item of added) item.row = 'stored';
        for (const { item, at } of upserted) item.storedTimes = [at];
      },
      rollback: () => {
        for (const { item, at } of upserted)
          item.storedTimes = [...new Set([...item.storedTimes, at])];
        for (const [item, change] of taken)
          if (!this.#changes.has(item)) this.#changes.set(item, change);
      },
    };
  }
}
