import { AsyncLocalStorage } from 'node:async_hooks';
import { type Seeded, seeded } from '../../../support/seeded.ts';

type Task = () => void;

/** One of several simulated processes. A paused one runs no task and no timer until it continues; a dead one never runs again. */
export class Process {
  state: 'running' | 'paused' | 'dead' = 'running';
  readonly #queues = new Map<unknown, object>();

  /** Returns the key of this process for a queue that every process has. */
  keyOf(queue: unknown): object {
    const key = this.#queues.get(queue) ?? {};
    this.#queues.set(queue, key);
    return key;
  }
}

interface Queue {
  readonly tasks: (() => void | Promise<void>)[];
  readonly mayRun: () => boolean;
}

interface Timer {
  readonly number: number;
  readonly run: Task;
  readonly process: Process | undefined;
  readonly everyMs: number | null;
  at: number;
}

/** Time at which every history starts, in Unix milliseconds. */
export const START = Date.UTC(2026, 9, 18);
/** A longer sequence of tasks without a timer never ends. */
const MAX_TASKS = 3000;
const nextTurn = globalThis.setImmediate;

const always = (): boolean => true;

/**
 * The event loop and the clocks of the simulated processes. It runs one task at a time. A seed decides which queue is next: each
 * thread has a queue of messages, and the callbacks of `setImmediate` are another queue. Time passes only in `advance`.
 */
export class Scheduler {
  #random: Seeded = seeded(0);
  readonly #queues = new Map<unknown, Queue>();
  readonly #process = new AsyncLocalStorage<Process>();
  readonly #timers = new Map<number, Timer>();
  #lastTimer = 0;
  /** Elapsed milliseconds. */
  #elapsed = 0;
  #offset = 0;
  #tasks = 0;
  /** Called after each task and timer. */
  onStep = (): void => {};

  /** Forgets all tasks and timers of the previous process. */
  start(seed: number): void {
    this.#random = seeded(seed);
    this.#queues.clear();
    this.#timers.clear();
  }

  /** Sets the clocks to the start of a history. */
  resetClocks(): void {
    this.#elapsed = 0;
    this.#offset = 0;
    this.#tasks = 0;
  }

  /** Monotonic milliseconds. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** Unix milliseconds. */
  get now(): number {
    return START + this.#elapsed + this.#offset;
  }

  get tasks(): number {
    return this.#tasks;
  }

  /** Moves the wall clock, but not the monotonic clock. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  /** Calls `work` in a process. Its tasks and timers belong to the process. */
  in<T>(process: Process, work: () => T): T {
    return this.#process.run(process, work);
  }

  /** The process that is running, if there are several. */
  get process(): Process | undefined {
    return this.#process.getStore();
  }

  /** Adds a task of the current process. */
  add(queue: unknown, task: Task): void {
    const { process } = this;
    if (process === undefined) this.addIf(always, queue, () => void task());
    else
      this.addIf(
        () => process.state === 'running',
        process.keyOf(queue),
        () => void this.in(process, task),
      );
  }

  /**
   * Adds a task that waits while `mayRun` returns `false`. All tasks of a queue have the same condition.
   *
   * @param task If it returns a promise, the simulation waits for the promise. It must not depend on other tasks.
   */
  addIf(mayRun: () => boolean, key: unknown, task: () => void | Promise<void>): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { tasks: [task], mayRun });
    else queue.tasks.push(task);
  }

  addTimer(run: Task, delayMs: number, repeats: boolean): number {
    const number = ++this.#lastTimer;
    const ms = Math.max(1, Math.trunc(delayMs) || 0);
    const everyMs = repeats ? ms : null;
    this.#timers.set(number, {
      number,
      run,
      process: this.process,
      everyMs,
      at: this.#elapsed + ms,
    });
    return number;
  }

  removeTimer(number: number): void {
    this.#timers.delete(number);
  }

  /** Runs at most `count` tasks. Returns `false` if no task is left. */
  async run(count: number): Promise<boolean> {
    await microtasks();
    for (let task = 0; task < count; task += 1) {
      if (!(await this.#runOne())) return false;
      await microtasks();
    }
    return this.#runnable().length > 0;
  }

  /** Runs tasks until none is left. Throws if they never end. */
  async settle(): Promise<void> {
    if (await this.run(MAX_TASKS)) throw new Error('the process does not come to rest');
  }

  /** Lets time pass, runs the due timers, and settles after each of them. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    do await this.settle();
    while (this.#runTimer(end));
    this.#elapsed = end;
  }

  /** Lets time pass like `advance`, but returns when the last due timer has run, before the tasks that it has added. */
  async advanceToTimer(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    do await this.settle();
    while (this.#runTimer(end) && (this.#nextTimer()?.at ?? Number.POSITIVE_INFINITY) <= end);
  }

  /** Runs the next timer if it is due. */
  #runTimer(end: number): boolean {
    const timer = this.#nextTimer();
    if (timer === undefined || timer.at > end) return false;
    this.#elapsed = Math.max(this.#elapsed, timer.at);
    if (timer.everyMs === null) this.#timers.delete(timer.number);
    else timer.at = this.#elapsed + timer.everyMs;
    if (timer.process === undefined) timer.run();
    else this.in(timer.process, timer.run);
    this.onStep();
    return true;
  }

  #runnable(): unknown[] {
    return [...this.#queues].filter(([, { mayRun }]) => mayRun()).map(([key]) => key);
  }

  async #runOne(): Promise<boolean> {
    const runnable = this.#runnable();
    if (runnable.length === 0) return false;
    const key = this.#random.pick(runnable);
    const { tasks } = this.#queues.get(key) ?? { tasks: [] };
    const task = tasks.shift();
    if (tasks.length === 0) this.#queues.delete(key);
    this.#tasks += 1;
    await task?.();
    this.onStep();
    return true;
  }

  #nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      const { process, at } = timer;
      if (process !== undefined && process.state !== 'running') continue;
      if (next === undefined || at < next.at) next = timer;
    }
    return next;
  }
}

/** Waits until all promise callbacks have run. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

export const scheduler = new Scheduler();
