import { EventBody } from '../../http/index.ts';
import type { EventFilter } from '../../storage/ports/index.ts';
import { closing, opening, resumeAt } from './live-text.rules.ts';

export interface ListenerOptions {
  readonly position: number;
  readonly eventFilter: EventFilter;
  readonly onDropped: () => void;
}

/** Maximum unread bytes of a listener when new events arrive. Listeners with the same filter share the memory of these bytes. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * One open stream with its position in the feed. A listener that has too many unread bytes when new events arrive is disconnected. Its
 * client reconnects and resumes after the last event it received.
 */
export class Listener extends EventBody {
  readonly eventFilter: EventFilter;
  readonly #onDropped: () => void;
  #position: number;
  /** Position from which the client would resume. */
  #announced: number;
  #onRoom = (): void => {};

  constructor({ position, eventFilter, onDropped }: ListenerOptions) {
    super();
    this.eventFilter = eventFilter;
    this.#onDropped = onDropped;
    this.#position = position;
    this.#announced = position;
    this.send(opening(position));
  }

  get position(): number {
    return this.#position;
  }

  /**
   * Sends the next events.
   *
   * @param chunk matching events, or `null` if no event up to `through` matches.
   */
  give(chunk: Uint8Array | null, through: number): void {
    if (this.destroyed || this.ended || through <= this.#position) return;
    if (this.readableLength > MAX_UNREAD_BYTES) {
      this.#onDropped();
      this.destroy();
      return;
    }
    this.#position = through;
    if (chunk === null) return;
    this.#announced = through;
    this.send(chunk);
  }

  async room(): Promise<void> {
    if (this.hasRoom || this.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** Ends the stream after the unread events. A second call ends the stream immediately. */
  finish(reason: string): void {
    if (this.ended) this.destroy();
    this.send(closing(reason));
    this.send(null);
  }

  protected override onRoom(): void {
    this.#onRoom();
  }

  /** Includes the current position, so that the skipped events are not scanned again when the client resumes. */
  protected override heartbeat(): string {
    if (this.#announced === this.#position) return super.heartbeat();
    this.#announced = this.#position;
    return resumeAt(this.#position);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onRoom();
    super._destroy(error, callback);
  }
}
