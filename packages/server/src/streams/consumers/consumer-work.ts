import { type Clock, FairScheduler } from '../../lib/scheduling/index.ts';
import type {
  EventPage,
  EventQuery,
  EventStore,
  JobWork,
  Term,
} from '../../storage/ports/index.ts';
import type { CursorRepository } from './cursor.repository.ts';

export interface ConsumerOptions {
  /** Name of the consumer. It identifies the cursors and the job in the store, so it must never change. */
  readonly name: string;
  /** Start position of a new consumer. Spaces created later are always read from the beginning. */
  readonly startsAt: 'beginning' | 'newest';
  readonly query?: Pick<
    EventQuery,
    'type' | 'source' | 'subject' | 'typePrefix' | 'feedsKnowledge'
  >;
  readonly pageSize: number;
  /** Maximum number of spaces that are processed concurrently. */
  readonly spacesAtOnce: number;
  /** Maximum delay before the retry of a failed page, in milliseconds. Default 60,000. */
  readonly longestPauseMs?: number;
  /**
   * Processes a page of a space's events, oldest first. The cursor advances after the promise resolves. After a failure or a crash a page
   * is delivered again, possibly with more or fewer events, so processing must be idempotent.
   */
  readonly handle: (
    spaceId: string,
    events: EventPage['events'],
    signal: AbortSignal,
  ) => Promise<void>;
  /** Called after each failed page with the number of consecutive failures. The page is retried with backoff. */
  readonly onFailure: (error: unknown, spaceId: string, failures: number) => void;
}

export interface ConsumerWorkDeps {
  readonly store: EventStore;
  readonly cursors: CursorRepository;
  readonly clock: Clock;
}

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 60_000;
/** Interval at which skipped positions are stored. After a crash, unwanted events after the stored position are skipped again. */
const SAVE_SKIPPED_MS = 10_000;
/** Interval at which the consumer advances in spaces that received only unwanted events. */
const SKIP_UNWANTED_MS = 2000;

/**
 * Consumes the events of all spaces during one term of the consumer's job.
 *
 * - starting: listens for appended events and wakes all spaces in which the cursor lags. Done → consuming, failed → stopped.
 * - consuming: reads pages of woken spaces and passes them to `handle`. `stop` → stopped.
 * - stopped: the listener and the timers are removed and no page is in flight.
 */
export class ConsumerWork implements JobWork {
  readonly #store: EventStore;
  readonly #cursors: CursorRepository;
  readonly #clock: Clock;
  readonly #options: ConsumerOptions;
  readonly #term: Term;
  readonly #scheduler: FairScheduler;
  readonly #resources = new AsyncDisposableStack();
  /** Skipped position per space: only unwanted events lie between the stored cursor and this position. */
  readonly #skipped = new Map<string, number>();
  /** Spaces whose next step stores the skipped position. Only steps write cursors, so writes of one cursor are never concurrent. */
  #unsaved = new Set<string>();
  readonly #unwanted = new Set<string>();

  static async start(
    deps: ConsumerWorkDeps,
    options: ConsumerOptions,
    term: Term,
  ): Promise<ConsumerWork> {
    await using starting = new AsyncDisposableStack();
    const work = starting.adopt(new ConsumerWork(deps, options, term), (started) => started.stop());
    await work.#wakeLagging();
    starting.move();
    return work;
  }

  private constructor(deps: ConsumerWorkDeps, options: ConsumerOptions, term: Term) {
    this.#store = deps.store;
    this.#cursors = deps.cursors;
    this.#clock = deps.clock;
    this.#options = options;
    this.#term = term;
    this.#scheduler = new FairScheduler({
      atOnce: options.spacesAtOnce,
      step: (spaceId, signal) => this.#step(spaceId, signal),
      onFailure: (error, spaceId, failures) => this.#failed(error, spaceId, failures),
    });
    this.#resources.defer(() => this.#scheduler.close());
    this.#every(SAVE_SKIPPED_MS, () => this.#saveSkipped());
    this.#every(SKIP_UNWANTED_MS, () => this.#skipUnwanted());
    this.#resources.defer(
      this.#store.onAppended((spaceId, feedsKnowledge) => this.#appended(spaceId, feedsKnowledge)),
    );
  }

  /** Returns the position up to which unwanted events were skipped, or 0 if the stored cursor is current. */
  skipped(spaceId: string): number {
    return this.#skipped.get(spaceId) ?? 0;
  }

  /** Does nothing, because the store already announces the appends of other processes. */
  onHint(): void {}

  async stop(): Promise<void> {
    await this.#resources.disposeAsync();
    // If the store rejects the write, the events are skipped again in the next term.
    for (const [spaceId, through] of this.#skipped)
      if (this.#term.isHeld()) await this.#write(spaceId, through).catch(() => {});
  }

  async #wakeLagging(): Promise<void> {
    const cursors = await this.#cursors.all(this.#options.name);
    for (const [spaceId, newest] of await this.#store.heads())
      if (newest > (cursors.get(spaceId) ?? 0)) this.#scheduler.wake(spaceId);
  }

  #every(milliseconds: number, run: () => void): void {
    const timer = setInterval(run, milliseconds).unref();
    this.#resources.defer(() => clearInterval(timer));
  }

  #appended(spaceId: string, feedsKnowledge: boolean): void {
    if (feedsKnowledge || this.#options.query?.feedsKnowledge !== true)
      this.#scheduler.wake(spaceId);
    else this.#unwanted.add(spaceId);
  }

  #skipUnwanted(): void {
    for (const spaceId of this.#unwanted) this.#scheduler.wake(spaceId);
    this.#unwanted.clear();
  }

  #saveSkipped(): void {
    this.#unsaved = new Set(this.#skipped.keys());
    for (const spaceId of this.#unsaved) this.#scheduler.wake(spaceId);
  }

  #failed(error: unknown, spaceId: string, failures: number): number {
    const { onFailure, longestPauseMs = MAX_DELAY_MS } = this.#options;
    onFailure(error, spaceId, failures);
    return Math.min(longestPauseMs, MIN_DELAY_MS * 2 ** (failures - 1));
  }

  /** Processes the next page of a space and reports whether more pages may follow. */
  async #step(spaceId: string, signal: AbortSignal): Promise<boolean> {
    const { name, query, pageSize, handle } = this.#options;
    const cursor = await this.#cursors.read(spaceId, name);
    // The space was deleted; some of its events may still exist.
    if (cursor === null) {
      this.#skipped.delete(spaceId);
      return false;
    }
    const after = Math.max(cursor, this.skipped(spaceId));
    const page = await this.#store.read({ ...query, spaceId, after, limit: pageSize });
    if (signal.aborted || !this.#term.isHeld()) return false;
    const isWanted = page.events.length > 0;
    // Retention waits only for stored cursors, so the cursor must exist before the first page is processed.
    if (after === 0 && isWanted) await this.#write(spaceId, 0);
    if (isWanted) await handle(spaceId, page.events, signal);
    if (isWanted || this.#unsaved.delete(spaceId)) {
      if (page.through > cursor) await this.#write(spaceId, page.through);
      this.#skipped.delete(spaceId);
    } else if (page.through > after) this.#skipped.set(spaceId, page.through);
    return page.more;
  }

  #write(spaceId: string, position: number): Promise<void> {
    return this.#cursors.write(spaceId, this.#options.name, position, this.#clock());
  }
}
