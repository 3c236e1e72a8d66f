/** Replaces `node:timers/promises` in the simulated process. */
import { scheduler } from './scheduler.ts';

interface Options {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

export function setTimeout<T>(ms?: number, value?: T, { signal }: Options = {}): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const aborted = () => {
    scheduler.removeTimer(timer);
    reject(signal?.reason);
  };
  const timer = scheduler.addTimer(
    () => {
      signal?.removeEventListener('abort', aborted);
      resolve(value as T);
    },
    ms ?? 1,
    false,
  );
  if (signal?.aborted === true) aborted();
  else signal?.addEventListener('abort', aborted, { once: true });
  return promise;
}

export function setImmediate<T>(value?: T): Promise<T> {
  return new Promise((resolve) => scheduler.add('immediate', () => resolve(value as T)));
}

/** A handle as `setTimeout` of Node returns it. */
class Handle {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.toPrimitive](): number {
    return this.number;
  }
}

type Callback = (...values: unknown[]) => void;

const timer =
  (repeats: boolean) =>
  (run: Callback, ms?: number, ...values: unknown[]) =>
    new Handle(scheduler.addTimer(() => run(...values), ms ?? 1, repeats));

const clear = (handle: unknown) => {
  if (handle instanceof Handle) scheduler.removeTimer(handle.number);
};

/** Replaces the global timers and clocks of this process. */
export function replaceGlobals(): void {
  const replaced = {
    setTimeout: timer(false),
    setInterval: timer(true),
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate: (run: Callback, ...values: unknown[]) =>
      scheduler.add('immediate', () => run(...values)),
    clearImmediate: () => {},
  };
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  Object.defineProperty(performance, 'now', { value: () => scheduler.elapsed, configurable: true });
  Date.now = () => scheduler.now;
  // Threads divide their time by CPU time, which differs between runs.
  process.threadCpuUsage = () => ({ user: 0, system: 0 });
}
