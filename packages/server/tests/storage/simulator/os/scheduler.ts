import { type Seeded, seeded } from '../../../support/seeded.ts';

type Task = () => void;

interface Timer {
  readonly number: number;
  readonly run: Task;
  readonly everyMs: number | null;
  at: number;
}

/** Time at which every history starts, in Unix milliseconds. */
const START = Date.UTC(2026, 9, 18);
/** A longer sequence of tasks without a timer never ends. */
const MOST_TASKS = 3000;
const nextTurn = globalThis.setImmediate;

/**
 * The event loop and the clocks of the simulated process. It runs one task at a time. A seed decides which queue is next: each
 * thread has a queue of messages, and the callbacks of `setImmediate` are another queue. Time passes only in `advance`.
 */
export class Scheduler {
  #random: Seeded = seeded(0);
  readonly #queues = new Map<unknown, Task[]>();
  readonly #timers = new Map<number, Timer>();
  #lastTimer = 0;
  /** Elapsed milliseconds. */
  #elapsed = 0;
  #offset = 0;
  #tasks = 0;

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

  add(queue: unknown, task: Task): void {
    const tasks = this.#queues.get(queue);
    if (tasks === undefined) this.#queues.set(queue, [task]);
    else tasks.push(task);
  }

  addTimer(run: Task, delayMs: number, repeats: boolean): number {
    const number = ++this.#lastTimer;
    const ms = Math.max(1, Math.trunc(delayMs) || 0);
    this.#timers.set(number, { number, run, everyMs: repeats ? ms : null, at: this.#elapsed + ms });
    return number;
  }

  removeTimer(number: number): void {
    this.#timers.delete(number);
  }

  /** Runs at most `count` tasks. Returns `false` if no task is left. */
  async run(count: number): Promise<boolean> {
    await microtasks();
    for (let task = 0; task < count; task += 1) {
      if (!this.#runOne()) return false;
      await microtasks();
    }
    return this.#queues.size > 0;
  }

  /** Runs tasks until none is left. Throws if they never end. */
  async settle(): Promise<void> {
    if (await this.run(MOST_TASKS)) throw new Error('the process does not come to rest');
  }

  /** Lets time pass, runs the due timers, and settles after each of them. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (;;) {
      await this.settle();
      const timer = this.#nextTimer();
      if (timer === undefined || timer.at > end) break;
      this.#elapsed = Math.max(this.#elapsed, timer.at);
      if (timer.everyMs === null) this.#timers.delete(timer.number);
      else timer.at = this.#elapsed + timer.everyMs;
      timer.run();
    }
    this.#elapsed = end;
  }

  #runOne(): boolean {
    if (this.#queues.size === 0) return false;
    const queue = this.#random.pick([...this.#queues.keys()]);
    const tasks = this.#queues.get(queue) ?? [];
    const task = tasks.shift();
    if (tasks.length === 0) this.#queues.delete(queue);
    this.#tasks += 1;
    task?.();
    return true;
  }

  #nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values())
      if (next === undefined || timer.at < next.at) next = timer;
    return next;
  }
}

/** Waits until all promise callbacks have run. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

export const scheduler = new Scheduler();
