import { Readable } from 'node:stream';

/** Interval short enough that proxies do not close an idle stream. */
const HEARTBEAT_MS = 15_000;
/** A comment in the event stream. Clients ignore comments. */
const HEARTBEAT = ':\n\n';
/** Bytes that are buffered for the client before `hasRoom` becomes false. */
const BUFFER_BYTES = 16 * 1024;

/**
 * A response body of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). The body sends
 * heartbeats while the stream is idle, applies backpressure through `hasRoom`, and aborts `gone` when the client disconnects.
 */
export abstract class EventBody extends Readable {
  readonly #gone = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #hasRoom = true;
  #ended = false;

  constructor() {
    super({ highWaterMark: BUFFER_BYTES });
    this.#heartbeat = setInterval(() => {
      if (this.#hasRoom) this.send(this.heartbeat());
    }, HEARTBEAT_MS).unref();
  }

  /** Aborts when the client has disconnected. */
  protected get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** `true` after `send(null)`. Later chunks are dropped. */
  protected get ended(): boolean {
    return this.#ended;
  }

  /** `false` while the buffer is full. */
  protected get hasRoom(): boolean {
    return this.#hasRoom;
  }

  protected abstract onRoom(): void;

  /** Returns the text to send while the stream is idle. Default: a comment. */
  protected heartbeat(): string {
    return HEARTBEAT;
  }

  protected stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
  }

  /** Sends a chunk of complete events. `null` ends the body after all buffered events are sent. */
  protected send(chunk: string | Uint8Array | null): void {
    if (this.destroyed || this.#ended) return;
    if (chunk === null) this.stopHeartbeat();
    this.#ended = chunk === null;
    this.#hasRoom = this.push(chunk);
  }

  override _read(): void {
    this.#hasRoom = true;
    this.onRoom();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.stopHeartbeat();
    this.#gone.abort();
    callback(error);
  }
}
