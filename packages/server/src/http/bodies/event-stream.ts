import { EventBody } from './event-body.ts';

/** Gives events; must end soon after the signal aborts, which it does when nobody listens any more. */
export type EventSource<T> = (signal: AbortSignal) => AsyncIterable<T>;

export interface EventFormat<T> {
  /** The data of the event that says this. */
  readonly dataOf: (event: T) => string;
  /** What says both, the second right behind the first; null where only two events do. */
  readonly join: (first: T, second: T) => T | null;
}

/**
 * Events with an end in view, taken as fast as they come: whoever makes them must not be held up by somebody
 * who reads slowly. What such a reader has still to read is joined, so that it takes the room of what is
 * said and not of a thousand small events.
 */
export class EventStream<T> extends EventBody {
  readonly #format: EventFormat<T>;
  /** For them there is no room yet. */
  #waiting: T[] = [];
  #ended = false;

  constructor(source: EventSource<T>, format: EventFormat<T>) {
    super();
    this.#format = format;
    void this.#relay(source);
  }

  protected override onRoom(): void {
    this.#sendWaiting();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#waiting = [];
    super._destroy(error, callback);
  }

  async #relay(source: EventSource<T>): Promise<void> {
    try {
      for await (const event of source(this.gone)) this.#take(event);
      this.#ended = true;
      this.stopHeartbeat();
      this.#sendWaiting();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #take(event: T): void {
    const last = this.#waiting.at(-1);
    const joined = last === undefined ? null : this.#format.join(last, event);
    if (joined === null) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = joined;
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    while (this.hasRoom) {
      const event = this.#waiting.shift();
      if (event === undefined) break;
      this.send(`data: ${this.#format.dataOf(event)}\n\n`);
    }
    if (this.#ended && this.#waiting.length === 0) this.send(null);
  }
}
