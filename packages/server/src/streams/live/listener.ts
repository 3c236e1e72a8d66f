import { EventBody } from '../../http/index.ts';
import type { EventFilter } from '../../storage/ports/index.ts';
import { closing, opening, placeAt } from './live-text.rules.ts';

export interface ListenerOptions {
  /** Where in the feed it begins: behind this position. */
  readonly position: number;
  readonly wanted: EventFilter;
  /** Hears that it was hung up on, because it reads more slowly than events come. */
  readonly onDropped: () => void;
}

/** Bytes that may wait for a reader when the next events come. They are shared among all who wait for them. */
const MOST_UNREAD = 1024 * 1024;

/**
 * One who listens: how far in the feed it has got, and what it has still to read. Whoever has too much of that
 * when more comes is hung up on, and goes on by itself from the last event that it has heard.
 */
export class Listener extends EventBody {
  /** What it listens for. */
  readonly wanted: EventFilter;
  readonly #onDropped: () => void;
  #position: number;
  /** What the client knows as the place to resume from. */
  #told: number;
  #onRoom = (): void => {};

  constructor({ position, wanted, onDropped }: ListenerOptions) {
    super();
    this.wanted = wanted;
    this.#onDropped = onDropped;
    this.#position = position;
    this.#told = position;
    this.send(opening(position));
  }

  /** It was given everything up to here that it listens for. */
  get position(): number {
    return this.#position;
  }

  /**
   * Gives it what comes next.
   *
   * @param chunk events that it listens for; null when none of those up to `through` is.
   */
  give(chunk: Uint8Array | null, through: number): void {
    if (this.destroyed || this.ended || through <= this.#position) return;
    if (this.readableLength > MOST_UNREAD) {
      this.#onDropped();
      this.destroy();
      return;
    }
    this.#position = through;
    if (chunk === null) return;
    this.#told = through;
    this.send(chunk);
  }

  /** Resolves when there is room for more, or it is gone. */
  async room(): Promise<void> {
    if (this.hasRoom || this.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** Ends it behind what is still to be read, and at once when it is asked to end again. */
  finish(reason: string): void {
    if (this.ended) this.destroy();
    this.send(closing(reason));
    this.send(null);
  }

  protected override onRoom(): void {
    this.#onRoom();
  }

  /** Who hears few of many events need not have them all looked through again when it resumes. */
  protected override heartbeat(): string {
    if (this.#told === this.#position) return super.heartbeat();
    this.#told = this.#position;
    return placeAt(this.#position);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onRoom();
    super._destroy(error, callback);
  }
}
