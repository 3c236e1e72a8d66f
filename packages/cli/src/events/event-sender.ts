import type { Gatehouse } from '@gatehouse/client';
import { checked } from '../shell/response.ts';
import type { ReadEvent } from './event-lines.ts';

export interface RejectedLine {
  readonly line: number;
  readonly error: string;
}

const MAX_BATCH = 100;
/** Maximum size of a batch in characters. The service accepts 8 MiB. */
const MAX_BATCH_LENGTH = 2 * 1024 * 1024;
/** Longest time in milliseconds for which an event of a slow pipe waits for others. */
const FLUSH_AFTER_MS = 500;
const MAX_RETRIES = 6;

/** Sends events in batches, one at a time and in order. */
export class EventSender {
  readonly #gatehouse: Gatehouse;
  readonly #signal: AbortSignal;
  #batch: ReadEvent[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  accepted = 0;
  /** Line of the last event that the service has processed. */
  lastLine = 0;
  readonly eventIds: string[] = [];
  readonly rejected: RejectedLine[] = [];

  constructor(gatehouse: Gatehouse, signal: AbortSignal) {
    this.#gatehouse = gatehouse;
    this.#signal = signal;
  }

  /** Adds an event, and waits if a batch is full. */
  async add(read: ReadEvent): Promise<void> {
    const length = JSON.stringify(read.event).length;
    if (this.#length + length > MAX_BATCH_LENGTH) await this.#flush();
    this.#batch.push(read);
    this.#length += length;
    if (this.#batch.length >= MAX_BATCH) await this.#flush();
    else
      this.#timer ??= setTimeout(() => {
        // The next call of `add` or `end` reports a failure.
        this.#flush().catch(() => {});
      }, FLUSH_AFTER_MS);
  }

  /** Sends the remaining events. */
  async end(): Promise<void> {
    await this.#flush();
  }

  /** Stops after an error. Waits for the batch in flight. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending.catch(() => {});
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = [];
    this.#length = 0;
    this.#sending = this.#sending.then(() => this.#send(batch));
    this.#sending.catch(() => {});
    return this.#sending;
  }

  async #send(batch: readonly ReadEvent[]): Promise<void> {
    if (batch.length === 0) return;
    const response = await this.#gatehouse.events.send(
      batch.map(({ event }) => event),
      { signal: this.#signal, maxRetries: MAX_RETRIES },
    );
    const { processed, eventIds, errors = [] } = checked(response, { processed: 0, eventIds: [] });
    this.accepted += processed;
    for (const id of eventIds) this.eventIds.push(id);
    for (const { index, error } of errors)
      this.rejected.push({ line: batch[index]?.line ?? 0, error });
    this.lastLine = batch.at(-1)?.line ?? this.lastLine;
  }
}
