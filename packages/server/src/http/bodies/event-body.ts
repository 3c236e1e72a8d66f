import { Readable } from 'node:stream';

/** Often enough that no proxy takes a silent stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** A comment, which readers of events skip. */
const HEARTBEAT = ':\n\n';
/** Bytes that wait to be read as they are, before there is no room any more. */
const READ_AHEAD = 16 * 1024;

/**
 * A body of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): it shows
 * that it lives while nothing comes, says whether there is room for more, and lets whoever makes the events
 * hear that nobody listens any more.
 */
export abstract class EventBody extends Readable {
  readonly #gone = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #hasRoom = true;
  #ended = false;

  constructor() {
    super({ highWaterMark: READ_AHEAD });
    this.#heartbeat = setInterval(() => {
      if (this.#hasRoom) this.send(this.heartbeat());
    }, HEARTBEAT_MS).unref();
  }

  /** Aborts when nobody listens any more. */
  protected get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Whether the end was sent: what is sent behind it is dropped. */
  protected get ended(): boolean {
    return this.#ended;
  }

  /** Whether what is sent now need not wait for the reader. */
  protected get hasRoom(): boolean {
    return this.#hasRoom;
  }

  /** There is room again. */
  protected abstract onRoom(): void;

  /** What is sent while nothing comes. */
  protected heartbeat(): string {
    return HEARTBEAT;
  }

  /** Nothing new will come. */
  protected stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
  }

  /** Whole events as they are; null ends the body behind what is still to be read. */
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
