import type { PendingDelivery } from '../deliveries/pending.ts';
import type { Progress } from '../deliveries/progress.repository.ts';
import { Changes } from './changes.ts';

export interface SaverOptions {
  readonly save: (progress: Progress) => Promise<void>;
  /** How far it has got, whenever it is asked. */
  readonly current: () => Pick<Progress, 'position' | 'lastDeliveredAt' | 'lastFailure'>;
  /** Something was saved; these stand in their rows now. */
  readonly onSaved: (items: readonly PendingDelivery[]) => void;
  readonly onFailure: (error: unknown) => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** Puts on disk how far a subscription has got, for many deliveries at a time. */
export class Saver {
  readonly changes = new Changes();
  readonly #options: SaverOptions;
  #saved: number;
  #statusChanged = false;
  #failures = 0;
  #saving: Promise<void> = Promise.resolve();
  #timer: { readonly handle: NodeJS.Timeout; readonly at: number } | null = null;
  #closed = false;

  /** @param position up to which everything is done with on disk. */
  constructor(position: number, options: SaverOptions) {
    this.#saved = position;
    this.#options = options;
  }

  /** Whether nothing can be put on disk now: what is delivered may be delivered again. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** When something was last delivered, or last failed, has changed. */
  statusChanged(): void {
    this.#statusChanged = true;
  }

  /** Saves within this time; later while it fails. */
  soon(milliseconds: number): void {
    if (this.#closed || (this.isFailing && this.#timer !== null)) return;
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

  /** Saves what is done by now, and does something before anything else is saved. Throws when it cannot be saved. */
  between(work: () => Promise<void>): Promise<void> {
    const done = this.#saving.then(async () => {
      await this.#save();
      if (this.#closed) return;
      if (this.isFailing) throw new Error('what was done could not be put on disk');
      await work();
    });
    this.#saving = done.catch(() => {});
    return done;
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
      this.#failures = 0;
      this.#saved = current.position;
      this.#options.onSaved(written());
    } catch (error) {
      failed();
      this.#statusChanged = true;
      if (this.#closed) return;
      this.#failures += 1;
      this.#options.onFailure(error);
      this.soon(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1)));
    }
  }
}
