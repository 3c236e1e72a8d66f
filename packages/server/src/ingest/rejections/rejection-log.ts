import { randomUUIDv7 } from 'node:crypto';
import { type Clock, DAY_MS, FirstFailure } from '../../lib/scheduling/index.ts';
import type { RejectedEventRow } from '../../storage/ports/index.ts';
import type { RejectionRepository } from './rejection.repository.ts';
import { detailsOf, type Rejection } from './rejection.rules.ts';

export interface RejectionLogOptions {
  readonly repository: RejectionRepository;
  readonly clock: Clock;
  /** Retention in days. 0: nothing is recorded. */
  readonly retentionDays: number;
  /** Receives the number of rejections that were not recorded, because there were too many. */
  readonly onDropped: (count: number) => void;
  /** Receives the first of consecutive failures. The rejections of a failed write are lost. */
  readonly onError: (error: unknown) => void;
}

const FLUSH_MS = 1000;
const REMOVE_EVERY_MS = 3_600_000;
/** Maximum number of rejections in memory. */
const MAX_QUEUED = 5000;
/** A space may add this many rejections at once. */
export const BURST = 1000;
/** Rejections per second of a space after its burst. */
const PER_SECOND = 10;
/** Number of rows of a space after which its oldest rows are trimmed. */
const TRIM_AFTER = 500;

/**
 * Records rejections in the background, so ingest does not wait for writes. The number of rejections per space and
 * second is limited, so rejected requests cannot cause many writes. A crash loses the rejections of the last second.
 */
export class RejectionLog implements AsyncDisposable {
  readonly #options: RejectionLogOptions;
  readonly #failures: FirstFailure;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #spaces = new Map<string, { room: number; at: number; untrimmed: number }>();
  #queue: RejectedEventRow[] = [];
  #lastTime = '';
  #inMillisecond = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: RejectionLogOptions) {
    this.#options = options;
    this.#failures = new FirstFailure(options.onError);
    this.#timers = [
      setInterval(() => this.flush(), FLUSH_MS).unref(),
      setInterval(() => this.#run(() => this.#removeExpired()), REMOVE_EVERY_MS).unref(),
    ];
    this.#run(() => this.#removeExpired());
  }

  add(rejection: Rejection): void {
    const { clock, retentionDays, onDropped } = this.#options;
    if (retentionDays === 0) return;
    const now = clock();
    const space = this.#spaceAt(rejection.spaceId, now);
    if (space.room < 1 || this.#queue.length >= MAX_QUEUED) {
      onDropped(1);
      return;
    }
    space.room -= 1;
    this.#queue.push({
      space_id: rejection.spaceId,
      id: this.#nextId(),
      at: Math.round(now),
      kind: rejection.event === null ? 'request' : 'event',
      reason: rejection.reason,
      details: detailsOf(rejection),
    });
  }

  /** Writes all rejections. Never rejects. */
  flush(): Promise<void> {
    if (this.#queue.length === 0) return this.#flushing;
    const rows = this.#queue;
    this.#queue = [];
    return this.#run(() => this.#write(rows));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.flush();
  }

  /** Returns a UUIDv7 with a counter in place of its first 12 random bits, so IDs of one millisecond are in order. */
  #nextId(): string {
    const id = randomUUIDv7();
    const time = id.slice(0, 13);
    this.#inMillisecond = time === this.#lastTime ? Math.min(0xfff, this.#inMillisecond + 1) : 0;
    this.#lastTime = time;
    const counter = this.#inMillisecond.toString(16).padStart(3, '0');
    return `${id.slice(0, 15)}${counter}${id.slice(18)}`;
  }

  #spaceAt(spaceId: string, now: number) {
    const known = this.#spaces.get(spaceId);
    const room =
      known === undefined
        ? BURST
        : Math.min(BURST, known.room + (Math.max(0, now - known.at) / 1000) * PER_SECOND);
    const space = { room, at: now, untrimmed: known?.untrimmed ?? TRIM_AFTER };
    this.#spaces.set(spaceId, space);
    return space;
  }

  async #write(rows: readonly RejectedEventRow[]): Promise<void> {
    const { repository } = this.#options;
    await repository.insert(rows);
    for (const [spaceId, own] of Map.groupBy(rows, (row) => row.space_id)) {
      const space = this.#spaces.get(spaceId);
      if (space === undefined) continue;
      space.untrimmed += own.length;
      if (space.untrimmed < TRIM_AFTER) continue;
      space.untrimmed = 0;
      await repository.trim(spaceId);
    }
  }

  async #removeExpired(): Promise<void> {
    const { repository, clock, retentionDays } = this.#options;
    const now = clock();
    await repository.removeBefore(now - retentionDays * DAY_MS);
    // A space whose burst is full again needs no entry.
    for (const [spaceId, { at }] of this.#spaces)
      if (now - at > (BURST / PER_SECOND) * 1000) this.#spaces.delete(spaceId);
  }

  /** Runs `work` after earlier work. Never rejects. */
  #run(work: () => Promise<void>): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#failures.of(work));
    return this.#flushing;
  }
}
