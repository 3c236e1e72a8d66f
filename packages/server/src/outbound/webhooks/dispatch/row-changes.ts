import type { Checkpoint } from '../deliveries/checkpoint.repository.ts';
import type { PendingDelivery } from '../deliveries/pending-delivery.ts';

type Change = 'upsert' | 'delete';

/** A batch of changes to write. The caller reports by `commit` or `rollback` whether they were written. */
export interface RowBatch extends Pick<Checkpoint, 'added' | 'changed' | 'removed'> {
  readonly commit: () => void;
  readonly rollback: () => void;
}

/** Unsaved changes of delivery rows: the last change of each delivery. */
export class RowChanges {
  #changes = new Map<PendingDelivery, Change>();

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  /** Positions of the deliveries with unsaved changes. */
  get positions(): ReadonlySet<number> {
    return new Set([...this.#changes.keys()].map(({ position }) => position));
  }

  upsert(item: PendingDelivery): void {
    if (item.row === 'none') item.row = 'unsaved';
    this.#changes.set(item, 'upsert');
  }

  delete(item: PendingDelivery): void {
    this.#changes.set(item, 'delete');
  }

  /** Takes all changes; later ones belong to the next batch. */
  take(): RowBatch {
    const taken = this.#changes;
    this.#changes = new Map();
    const of = (wanted: Change) =>
      [...taken].filter(([, change]) => change === wanted).map(([item]) => item);
    const added = of('upsert').filter(({ row }) => row === 'unsaved');
    return {
      added,
      changed: of('upsert').filter(({ row }) => row === 'stored'),
      // Includes rows that are not known to be stored: a write that seemed to fail may have stored them.
      removed: of('delete').map(({ position }) => position),
      commit: () => {
        for (const item of added) item.row = 'stored';
      },
      rollback: () => {
        for (const [item, change] of taken)
          if (!this.#changes.has(item)) this.#changes.set(item, change);
      },
    };
  }
}
