import {
  type Charge,
  type Clock,
  FairTimeQueue,
  type RunningItem,
  type WorkOwner,
} from '../scheduling/index.ts';
import {
  type BusyWith,
  MAX_WAITING_OF_CALLER,
  NO_READ_LIMITS,
  type ReadLimits,
  ReadsOverloaded,
  TimeBudgetUsed,
} from './read-limits.ts';
import { StorageUnavailable } from './storage-errors.ts';

const MAX_WAITING_OF_SPACE = 256;

export interface FairSemaphoreOptions {
  readonly permits: number;
  /** Name of the resource in `ReadLimits.onUsed`. */
  readonly name: string;
  readonly limits?: ReadLimits;
  /** Milliseconds. Default: `performance.now`. */
  readonly clock?: Clock;
  /** Called when operations start or stop waiting behind operations of other callers. */
  readonly onContention?: (isContended: boolean) => void;
}

/** The result of a step. An operation without a result continues with another step. */
export interface StepResult<Result> {
  readonly result: Result | null;
  /** Default: the duration of the step, charged to the caller. */
  readonly charge?: Charge | undefined;
}

interface Waiting {
  readonly owner: WorkOwner;
  readonly begin: (running: RunningItem<Waiting>) => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * Runs a bounded number of operations concurrently and shares the time fairly, as `FairTimeQueue` describes. The last permit
 * is reserved for spaces without a running operation, if there is more than one permit.
 */
export class FairSemaphore {
  readonly #permits: number;
  readonly #name: string;
  readonly #limits: ReadLimits;
  readonly #clock: Clock;
  readonly #onContention: (isContended: boolean) => void;
  readonly #waiting: FairTimeQueue<Waiting>;
  #acquired = 0;

  constructor({ permits, name, limits, clock, onContention }: FairSemaphoreOptions) {
    this.#permits = permits;
    this.#name = name;
    this.#limits = limits ?? NO_READ_LIMITS;
    this.#clock = clock ?? (() => performance.now());
    this.#onContention = onContention ?? (() => {});
    this.#waiting = new FairTimeQueue(this.#clock);
  }

  /**
   * Runs an operation when a permit is free and returns its result.
   *
   * @param signal when it aborts, an operation that has not started fails with the signal's reason.
   * @throws {ReadsOverloaded} if 64 operations of the caller or 256 of the space are waiting, or if the operation of a caller
   *   has waited for `ReadLimits.maxWaitMs`.
   * @throws {TimeBudgetUsed} if the caller has used up its budget.
   */
  run<Result>(
    owner: WorkOwner,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    let result: Result;
    const step = async () => {
      result = await work();
      return { result: true };
    };
    return this.runSteps(owner, step, signal).then(() => result);
  }

  /** Like `run`, but releases the permit between the steps of an operation, so operations of other callers can run. */
  async runSteps<Result>(
    owner: WorkOwner,
    step: () => Promise<StepResult<Result>>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    this.admit(owner);
    let leftMs = this.#limits.maxWaitMs;
    let queuedAt = this.#clock();
    let next = this.#enqueue(owner, { isFirst: true, leftMs, signal });
    this.#dispatch();
    for (;;) {
      const running = await next;
      const startedAt = this.#clock();
      leftMs -= startedAt - queuedAt;
      let charge: Charge | undefined;
      let isUnfinished = false;
      try {
        const taken = await step();
        charge = taken.charge;
        if (taken.result !== null) return taken.result;
        isUnfinished = true;
      } catch (error) {
        // The caller is not to blame if the store is unavailable.
        if (error instanceof StorageUnavailable) charge = { ms: 0, isShared: false };
        throw error;
      } finally {
        queuedAt = this.#clock();
        // Queued before the permit is released, so the caller's other operations do not start before this one is finished.
        if (isUnfinished) next = this.#enqueue(owner, { isFirst: false, leftMs, signal });
        charge ??= { ms: queuedAt - startedAt, isShared: false };
        this.#release(owner, running, charge);
      }
    }
  }

  /** Rejects all operations that have not started. */
  failAll(reason: unknown): void {
    for (const { fail } of this.#waiting.takeAll()) fail(reason);
  }

  /** Throws as `run` does if an operation of this owner would be rejected immediately. */
  admit(owner: WorkOwner): void {
    const waiting = this.#waiting.waitingOf(owner);
    if (waiting.caller >= MAX_WAITING_OF_CALLER) throw this.#overloaded('caller');
    if (waiting.space >= MAX_WAITING_OF_SPACE) throw this.#overloaded('space');
    const overdrawn = this.#overdrawn(owner);
    if (overdrawn !== null) throw overdrawn;
  }

  async #enqueue(
    owner: WorkOwner,
    {
      isFirst,
      leftMs,
      signal,
    }: { isFirst: boolean; leftMs: number; signal: AbortSignal | undefined },
  ): Promise<RunningItem<Waiting>> {
    signal?.throwIfAborted();
    const { promise, resolve: begin, reject: fail } = Promise.withResolvers<RunningItem<Waiting>>();
    const waiting = { owner, begin, fail };
    const spent = this.#waiting.measure(owner);
    const leave = (reason: () => unknown) => {
      if (!this.#waiting.remove(owner, waiting)) return;
      fail(reason());
      this.#reportContention();
    };
    const abort = () => leave(() => signal?.reason);
    const expire = () => leave(() => this.#overloaded(busyWith(spent())));
    this.#waiting.add(owner, waiting, !isFirst);
    signal?.addEventListener('abort', abort, { once: true });
    const timer = owner.caller === null ? undefined : setTimeout(expire, Math.max(0, leftMs));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #dispatch(): void {
    while (this.#acquired < this.#permits) {
      const isLast = this.#permits > 1 && this.#acquired === this.#permits - 1;
      const running = this.#waiting.take(isLast);
      if (running === undefined) break;
      const overdrawn = this.#overdrawn(running.item.owner);
      if (overdrawn !== null) {
        running.end({ ms: 0, isShared: false });
        running.item.fail(overdrawn);
        continue;
      }
      this.#acquired += 1;
      running.item.begin(running);
    }
    this.#reportContention();
  }

  #release({ caller }: WorkOwner, running: RunningItem<Waiting>, charge: Charge): void {
    running.end(charge);
    if (caller !== null && !charge.isShared) this.#limits.budgets?.charge(caller, charge.ms);
    this.#limits.onUsed(this.#name, charge.ms);
    this.#acquired -= 1;
    this.#dispatch();
  }

  #reportContention(): void {
    this.#onContention(!this.#waiting.isEmpty && this.#waiting.hasIdleCaller());
  }

  /** Returns the error if the caller has used up its budget, otherwise null. */
  #overdrawn({ caller }: WorkOwner): TimeBudgetUsed | null {
    if (caller === null) return null;
    const waitMs = this.#limits.budgets?.waitMs(caller) ?? 0;
    if (waitMs === 0) return null;
    this.#limits.onRejected('budget');
    return new TimeBudgetUsed(caller, waitMs);
  }

  #overloaded(busy: BusyWith): ReadsOverloaded {
    this.#limits.onRejected(busy);
    return new ReadsOverloaded(busy);
  }
}

/** Returns the narrowest owner that used at least half of the time. */
function busyWith({ caller, space, all, shared }: ReturnType<MeasuredTime>): BusyWith {
  const half = all / 2;
  if (shared > half) return 'loading';
  if (caller >= half) return 'caller';
  return space >= half ? 'space' : 'service';
}

type MeasuredTime = ReturnType<FairTimeQueue<Waiting>['measure']>;
