import type { Checkpoint } from '../deliveries/checkpoint.repository.ts';
import type { RowChanges } from './row-changes.ts';

export interface CheckpointWriterOptions {
  readonly position: number;
  readonly changes: RowChanges;
  readonly save: (checkpoint: Checkpoint) => Promise<void>;
  readonly snapshot: () => Omit<Checkpoint, 'added' | 'changed' | 'removed'>;
  readonly onSaved: (saved: Checkpoint) => void;
  readonly onFailure: (error: unknown) => void;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/**
 * Writes the checkpoints of one subscription sequentially. Each checkpoint covers many deliveries.
 *
 * - clean: everything is stored.
 * - scheduled: a timer runs. Timer or `flush` → saving
 * - saving: a write runs. Success → clean, or scheduled if there are new changes. Failure → failing
 * - failing: the write is retried with exponential backoff, which `schedule` does not shorten. Success → clean
 * - closed: writes nothing.
 */
export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions;
  #position: number;
  #statusChanged = false;
  #failures = 0;
  #saving: Promise<void> = Promise.resolve();
  #timer: { readonly handle: NodeJS.Timeout; readonly at: number } | null = null;
  #closed = false;

  constructor(options: CheckpointWriterOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** `true` if the last write failed. Deliveries that succeed in this state are repeated after a crash. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Marks `lastDeliveredAt` and `lastFailure` as changed, so the next checkpoint is written even without row changes. */
  markStatusChanged(): void {
    this.#statusChanged = true;
  }

  /** Writes a checkpoint after at most this time. */
  schedule(milliseconds: number): void {
    if (this.#closed || (this.isFailing && this.#timer !== null)) return;
    const at = performance.now() + milliseconds;
    if (this.#timer !== null) {
      if (this.#timer.at <= at) return;
      clearTimeout(this.#timer.handle);
    }
    this.#timer = { handle: setTimeout(() => void this.flush(), milliseconds), at };
  }

  /** Resolves even if the write fails. */
  flush(): Promise<void> {
    clearTimeout(this.#timer?.handle);
    this.#timer = null;
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  /** Writes a checkpoint, then runs `work` before the next checkpoint. Rejects if the checkpoint cannot be written. */
  flushThen(work: () => Promise<void>): Promise<void> {
    const done = this.#saving.then(async () => {
      await this.#save();
      if (this.#closed) return;
      if (this.isFailing) throw new Error('the checkpoint cannot be written');
      await work();
    });
    this.#saving = done.catch(() => {});
    return done;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer?.handle);
  }

  async #save(): Promise<void> {
    const { changes, save, snapshot, onSaved, onFailure } = this.#options;
    const current = snapshot();
    const isNew = current.position !== this.#position || this.#statusChanged || !changes.isEmpty;
    if (this.#closed || !isNew) return;
    const { commit, rollback, ...rows } = changes.take();
    this.#statusChanged = false;
    const checkpoint = { ...current, ...rows };
    try {
      await save(checkpoint);
    } catch (error) {
      rollback();
      this.#statusChanged = true;
      if (this.#closed) return;
      this.#failures += 1;
      onFailure(error);
      clearTimeout(this.#timer?.handle);
      this.#timer = null;
      this.schedule(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
      return;
    }
    this.#failures = 0;
    this.#position = current.position;
    commit();
    onSaved(checkpoint);
  }
}
