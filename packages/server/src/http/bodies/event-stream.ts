import { EventBody } from './event-body.ts';

/** A function that produces events. The signal aborts when the client disconnects. The function must then end soon. */
export type EventSource<T> = (signal: AbortSignal) => AsyncIterable<T>;

export interface EventFormat<T> {
  readonly dataOf: (event: T) => string;
  /** Merges two consecutive events, or returns `null` if they must stay separate. */
  readonly join: (first: T, second: T) => T | null;
}

/**
 * A finite stream of server-sent events that never blocks its source. Events that wait for a slow client are merged to limit the
 * backlog.
 */
export class EventStream<T> extends EventBody {
  readonly #format: EventFormat<T>;
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
