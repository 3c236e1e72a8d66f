import { Readable } from 'node:stream';

/** Gives events; must end soon after the signal aborts, which it does when nobody listens any more. */
export type EventSource<T> = (signal: AbortSignal) => AsyncIterable<T>;

export interface EventFormat<T> {
  /** The data of the event that says this. */
  readonly dataOf: (event: T) => string;
  /** What says both, the second right behind the first; null where only two events do. */
  readonly join: (first: T, second: T) => T | null;
}

/** Often enough that no proxy takes a silent stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** A comment, which readers of events skip. */
const HEARTBEAT = ':\n\n';
/** Bytes that wait to be read as they are; what comes behind them is joined. */
const READ_AHEAD = 16 * 1024;

/**
 * A body of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). It takes
 * them as fast as they come: whoever makes them has an end in view, and must not be held up by somebody who
 * reads slowly. What such a reader has still to read is joined, so that it takes the room of what is said
 * and not of a thousand small events.
 */
export class EventStream<T> extends Readable {
  readonly #gone = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #format: EventFormat<T>;
  /** For them there is no room yet. */
  #waiting: T[] = [];
  #hasRoom = true;
  #ended = false;

  constructor(source: EventSource<T>, format: EventFormat<T>) {
    super({ highWaterMark: READ_AHEAD });
    this.#format = format;
    this.#heartbeat = setInterval(() => {
      if (this.#hasRoom) this.#send(HEARTBEAT);
    }, HEARTBEAT_MS).unref();
    void this.#relay(source);
  }

  override _read(): void {
    this.#hasRoom = true;
    this.#sendWaiting();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.#waiting = [];
    this.#gone.abort();
    callback(error);
  }

  async #relay(source: EventSource<T>): Promise<void> {
    try {
      for await (const event of source(this.#gone.signal)) this.#take(event);
      this.#ended = true;
      clearInterval(this.#heartbeat);
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
    while (this.#hasRoom) {
      const event = this.#waiting.shift();
      if (event === undefined) break;
      this.#send(`data: ${this.#format.dataOf(event)}\n\n`);
    }
    if (this.#ended && this.#waiting.length === 0) this.#send(null);
  }

  #send(chunk: string | null): void {
    if (!this.destroyed) this.#hasRoom = this.push(chunk);
  }
}
