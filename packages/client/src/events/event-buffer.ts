import type { Gatehouse } from '../gatehouse.ts';
import { isTransient, MAX_PAUSE_MS, retryDelay } from '../http/retry.ts';
import { startTimer } from '../http/timer.ts';
import type { SendOptions } from '../resources/events/events.ts';
import { type CloudEvent, type NewEvent, toEvent } from './events.ts';

/** An event that was not stored, and the reason. */
export interface FailedEvent {
  readonly event: CloudEvent;
  /** Message of the service, or of the last error. */
  readonly reason: string;
}

export interface EventBufferOptions {
  /** Receives events that were not stored: rejected by the service, too many for the buffer, or unsent at the end. */
  readonly onFailed: (failed: readonly FailedEvent[]) => void;
  /** Maximum number of events per request. Default and maximum 100. */
  readonly batchSize?: number | undefined;
  /** Maximum time in milliseconds before an event is sent. Default 1,000. */
  readonly flushInterval?: number | undefined;
  /** Maximum size in bytes of all events in the buffer, as JSON. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** `true`: sends the remaining events when Node runs out of work. `process.exit()` and signals do not wait for them. */
  readonly flushAtExit?: boolean | undefined;
  /** Signs the requests. The credential of the client is then not sent. */
  readonly signer?: SendOptions['signer'];
}

interface Waiting {
  readonly event: CloudEvent;
  readonly bytes: number;
}

const MAX_BATCH = 100;
/** Maximum size of the events in one request. The service accepts 8 MiB. */
const MAX_BATCH_BYTES = 7 * 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const FLUSH_INTERVAL_MS = 1000;
const CLOSE_TIMEOUT_MS = 10_000;

/**
 * Sends events in batches, one request at a time and in order. A batch that fails because of the network or an overload
 * stays in the buffer and is sent again; the service stores each event once. The buffer accepts events until it is full.
 *
 * @example
 * const buffer = new EventBuffer(gatehouse, {
 *   onFailed: (failed) => {
 *     for (const { event, reason } of failed) console.error(event.id, reason);
 *   },
 * });
 * buffer.add({ source: 'https://shop.example/orders', type: 'example.order.paid' });
 * await buffer.close();
 */
export class EventBuffer {
  readonly #gatehouse: Gatehouse;
  readonly #options: EventBufferOptions;
  readonly #waiting: Waiting[] = [];
  readonly #stop = new AbortController();
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;
  #wake: () => void = () => {};
  #problem = 'The buffer was closed before the event was sent.';
  readonly #atExit = () => void this.close();

  constructor(gatehouse: Gatehouse, options: EventBufferOptions) {
    this.#gatehouse = gatehouse;
    this.#options = options;
    if (options.flushAtExit === true) nodeProcess()?.once('beforeExit', this.#atExit);
  }

  /** Number of events that are not stored yet. */
  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Adds an event. Returns `false` and reports the event to `onFailed` if the buffer is full or closed. Later changes of
   * the object have no effect.
   *
   * @throws {TypeError} if the event cannot be represented in JSON.
   * @example
   * const buffer = new EventBuffer(gatehouse, { onFailed: console.error });
   * const event = { source: 'https://shop.example/orders', type: 'example.order.paid' };
   * if (!buffer.add(event)) await buffer.flush();
   * await buffer.close();
   */
  add(event: NewEvent): boolean {
    const text = JSON.stringify(toEvent(event));
    const copy: CloudEvent = JSON.parse(text);
    const bytes = new TextEncoder().encode(text).byteLength;
    const { maxBytes = MAX_BYTES } = this.#options;
    if (this.#closed || this.#bytes + bytes > maxBytes) {
      const reason = this.#closed
        ? 'The buffer is closed.'
        : `The buffer is full (${maxBytes} bytes).`;
      this.#report([{ event: copy, reason }]);
      return false;
    }
    this.#waiting.push({ event: copy, bytes });
    this.#bytes += bytes;
    if (this.#waiting.length >= this.#batchSize || this.#bytes >= MAX_BATCH_BYTES)
      void this.flush();
    else this.#timer ??= this.#startTimer(() => void this.flush(), this.#interval);
    return true;
  }

  /**
   * Sends all events in the buffer. Resolves when each event is stored or reported to `onFailed`.
   *
   * @example
   * const buffer = new EventBuffer(gatehouse, { onFailed: console.error });
   * buffer.add({ source: 'https://shop.example/orders', type: 'example.order.paid' });
   * await buffer.flush();
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll();
    return this.#sending;
  }

  /**
   * Sends the remaining events and stops accepting new ones. Reports the events that are unsent after `timeout`
   * milliseconds to `onFailed`.
   *
   * @example
   * const buffer = new EventBuffer(gatehouse, { onFailed: console.error });
   * await buffer.close({ timeout: 5000 });
   */
  async close({ timeout = CLOSE_TIMEOUT_MS }: { readonly timeout?: number } = {}): Promise<void> {
    this.#closed = true;
    nodeProcess()?.off('beforeExit', this.#atExit);
    this.#wake();
    const timer = startTimer(() => {
      this.#stop.abort();
      this.#wake();
    }, timeout);
    await this.flush();
    clearTimeout(timer);
  }

  get #interval(): number {
    return this.#options.flushInterval ?? FLUSH_INTERVAL_MS;
  }

  get #batchSize(): number {
    return Math.min(MAX_BATCH, Math.max(1, this.#options.batchSize ?? MAX_BATCH));
  }

  #startTimer(callback: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
    const timer: unknown = startTimer(callback, milliseconds);
    // With `flushAtExit`, timers must not keep the process alive, or `beforeExit` would never occur.
    if (this.#options.flushAtExit === true && !this.#closed)
      (timer as { unref?(): void }).unref?.();
    return timer as ReturnType<typeof setTimeout>;
  }

  /** Waits before the next attempt, but not longer than until `close` is called or its timeout ends. */
  async #pause(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = this.#startTimer(resolve, milliseconds);
    });
    clearTimeout(timer);
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    // Collects the events that the caller adds in the same task.
    await Promise.resolve();
    for (let failures = 0; this.#waiting.length > 0; ) {
      const error = await this.#sendBatch(this.#nextBatch());
      failures = error === undefined ? 0 : failures + 1;
      if (error !== undefined && !this.#stop.signal.aborted)
        await this.#pause(retryDelay(error, failures) ?? MAX_PAUSE_MS);
      if (this.#stop.signal.aborted) this.#fail(this.#waiting.length, this.#problem);
    }
    // In the microtask of the loop's last check: an event that is added in between would wait for a flush that has ended.
    this.#sending = undefined;
  }

  #nextBatch(): CloudEvent[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((one, index) => {
      bytes += one.bytes + 1;
      return index > 0 && (index >= this.#batchSize || bytes > MAX_BATCH_BYTES);
    });
    return this.#waiting.slice(0, end === -1 ? undefined : end).map(({ event }) => event);
  }

  /** Returns the error after which the batch stays in the buffer. */
  async #sendBatch(events: readonly CloudEvent[]): Promise<unknown> {
    const { signal } = this.#stop;
    const { signer } = this.#options;
    try {
      const { errors = [] } = await this.#gatehouse.events.send(events, {
        signal,
        signer,
        maxRetries: 0,
      });
      const rejected = errors.flatMap(({ index, error }) => {
        const event = events[index];
        return event === undefined ? [] : [{ event, reason: error }];
      });
      this.#remove(events.length);
      if (rejected.length > 0) this.#report(rejected);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!signal.aborted) this.#problem = reason;
      if (signal.aborted || isTransient(error)) return error;
      this.#fail(events.length, reason);
    }
    return undefined;
  }

  #remove(count: number): Waiting[] {
    const removed = this.#waiting.splice(0, count);
    for (const { bytes } of removed) this.#bytes -= bytes;
    return removed;
  }

  #fail(count: number, reason: string): void {
    const failed = this.#remove(count);
    if (failed.length > 0) this.#report(failed.map(({ event }) => ({ event, reason })));
  }

  /** Passes events to the hook. An error of the hook does not stop the buffer. */
  #report(failed: readonly FailedEvent[]): void {
    try {
      this.#options.onFailed(failed);
    } catch {}
  }
}

interface NodeProcess {
  once?(event: 'beforeExit', listener: () => void): void;
  off?(event: 'beforeExit', listener: () => void): void;
}

/** Returns `process` of Node and compatible runtimes. */
function nodeProcess(): Required<NodeProcess> | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  return process?.once === undefined || process.off === undefined
    ? undefined
    : (process as Required<NodeProcess>);
}
