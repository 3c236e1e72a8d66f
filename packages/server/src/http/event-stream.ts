import { Readable } from 'node:stream';

/** Gives server-sent events; must end soon after the signal aborts, which it does when nobody listens any more. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<string>;

/** Often enough that no proxy takes a silent stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** A comment, which readers of events skip. */
const HEARTBEAT = ':\n\n';

/**
 * A body of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), made
 * from the data of each. It takes them as fast as they come and holds what the client has not read yet:
 * whoever makes them has an end in view, and must not be held up by somebody who reads slowly.
 */
export class EventStream extends Readable {
  readonly #gone = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(source: EventSource) {
    super();
    this.#heartbeat = setInterval(() => this.#send(HEARTBEAT), HEARTBEAT_MS).unref();
    void this.#relay(source);
  }

  override _read(): void {}

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.#gone.abort();
    callback(error);
  }

  async #relay(source: EventSource): Promise<void> {
    try {
      for await (const data of source(this.#gone.signal)) this.#send(`data: ${data}\n\n`);
      this.#send(null);
      clearInterval(this.#heartbeat);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #send(chunk: string | null): void {
    if (!this.destroyed) this.push(chunk);
  }
}
