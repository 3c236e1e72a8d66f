import { Changes } from './changes.ts';
import type { PendingDelivery } from './pending.ts';
import type { Progress } from './progress.repository.ts';

export interface SaverOptions {
  readonly save: (progress: Progress) => Promise<void>;
  /** How far it has got, whenever it is asked. */
  readonly current: () => Pick<Progress, 'position' | 'lastDeliveredAt' | 'lastFailure'>;
  /** These stand in their rows now. */
  readonly onKept: (items: readonly PendingDelivery[]) => void;
  readonly onFailure: (error: unknown) => void;
}

const AGAIN_AFTER_MS = 1000;

/** Puts on disk how far a subscription has got, for many deliveries at a time. */
export class Saver {
  readonly changes = new Changes();
  readonly #options: SaverOptions;
  #saved: number;
  #statusChanged = false;
  #saving: Promise<void> = Promise.resolve();
  #timer: { readonly handle: NodeJS.Timeout; readonly at: number } | null = null;
  #closed = false;

  /** @param position up to which everything is done with on disk. */
  constructor(position: number, options: SaverOptions) {
    this.#saved = position;
    this.#options = options;
  }

  /** When something was last delivered, or last failed, has changed. */
  statusChanged(): void {
    this.#statusChanged = true;
  }

  /** Saves within this time. */
  soon(milliseconds: number): void {
    if (this.#closed) return;
    const at = performance.now() + milliseconds;
    if (this.#timer !== null) {
      if (this.#timer.at <= at) return;
      clearTimeout(this.#timer.handle);
    }
    this.#timer = { handle: setTimeout(() => void this.now(), milliseconds), at };
  }

  /** Resolves when what is done by now is on disk, or could not be put there. */
  now(): Promise<void> {
    clearTimeout(this.#timer?.handle);
    this.#timer = null;
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  /** Nothing is written any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer?.handle);
  }

  async #save(): Promise<void> {
    const current = this.#options.current();
    const isNew = current.position !== this.#saved || this.#statusChanged || !this.changes.isEmpty;
    if (this.#closed || !isNew) return;
    const { written, failed, ...rows } = this.changes.take();
    this.#statusChanged = false;
    try {
      await this.#options.save({ ...current, ...rows });
      this.#saved = current.position;
      this.#options.onKept(written());
    } catch (error) {
      failed();
      this.#statusChanged = true;
      if (this.#closed) return;
      this.#options.onFailure(error);
      this.soon(AGAIN_AFTER_MS);
    }
  }
}
