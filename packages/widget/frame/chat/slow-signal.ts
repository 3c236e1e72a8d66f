import type { Signal } from '@preact/signals';

/** Often enough to look like flowing text, and seldom enough for a slow phone. */
const EVERY_MS = 50;

/** Changes a signal at most every 50 ms, the first time at once. */
export class SlowSignal<T> {
  readonly #signal: Signal<T>;
  #next: T;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: Signal<T>) {
    this.#signal = signal;
    this.#next = signal.peek();
  }

  change(change: (value: T) => T): void {
    this.#next = change(this.#next);
    if (this.#timer !== undefined) return;
    this.#signal.value = this.#next;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#signal.value = this.#next;
    }, EVERY_MS);
  }

  /** What was changed last shows now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#signal.value = this.#next;
  }
}
