import { AnswerFailure } from '../answerer.ts';

/** Limits of one answer. Times are in milliseconds. */
export interface AnswerLimits {
  /** Maximum time until the first part of a response, including reasoning. */
  readonly firstMs: number;
  readonly betweenMs: number;
  /** Maximum time for the whole answer, including searches. */
  readonly totalMs: number;
  /** Maximum text length in UTF-16 code units. */
  readonly text: number;
  /** Maximum bytes of one response of the model's server, including protocol overhead. */
  readonly bytes: number;
  /** Maximum number of searches. 0: the model has no search tool. */
  readonly searches: number;
  /** Maximum number of calls of the bot's tools, and of requests with tools in addition to those for searches. */
  readonly toolCalls: number;
  /** Pause before the retry of a request that failed temporarily. */
  readonly retryMs: number;
}

export const ANSWER_LIMITS: AnswerLimits = {
  firstMs: 30_000,
  betweenMs: 20_000,
  totalMs: 120_000,
  text: 64 * 1024,
  bytes: 16 * 1024 * 1024,
  searches: 3,
  toolCalls: 5,
  retryMs: 400,
};

/**
 * Aborts an answer when the client's signal aborts or a timeout expires. `firstMs` and `betweenMs` apply only while `until`
 * waits, so a slow client does not cause a timeout. `totalMs` always
 * applies, except while the watch is paused.
 */
export class Watch implements Disposable {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #limits: AnswerLimits;
  #totalTimer: NodeJS.Timeout | undefined;
  /** Rest of `totalMs` when `#totalTimer` was set, and the time at which it was set. */
  #totalLeft: number;
  #totalSince = performance.now();
  #partTimer: NodeJS.Timeout | undefined;
  #isWaiting = false;
  /** Number of running calls of tools, during which no timeout applies. */
  #paused = 0;
  #allowed: number;
  /**
   * Rejects the promise that `until` returned. The alternative, `Promise.race` with a long-lived promise, would leak memory for
   * each part.
   */
  #rejectWait: (reason: unknown) => void = () => {};

  constructor(client: AbortSignal, limits: AnswerLimits) {
    this.#limits = limits;
    this.#allowed = limits.firstMs;
    this.signal = AbortSignal.any([client, this.#own.signal]);
    this.#totalLeft = limits.totalMs;
    this.#totalTimer = this.#endAfter(limits.totalMs, 'answer');
    this.signal.addEventListener('abort', () => this.#rejectWait(this.signal.reason), {
      once: true,
    });
  }

  /** Allows `firstMs` for the next part, because a new request starts. */
  expectsStart(): void {
    this.#allowed = this.#limits.firstMs;
  }

  /** Allows `betweenMs` for the next part, because the model is responding. */
  expectsProgress(): void {
    this.#allowed = this.#limits.betweenMs;
  }

  /** Waits for a promise. Rejects if the answer is aborted first. Only one wait can be active. */
  async until<T>(waiting: Promise<T>): Promise<T> {
    this.#isWaiting = true;
    if (this.#paused === 0) this.#partTimer = this.#endAfter(this.#allowed, 'part');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#rejectWait = reject;
    waiting.then(resolve, reject);
    if (this.signal.aborted) reject(this.signal.reason);
    try {
      return await promise;
    } finally {
      clearTimeout(this.#partTimer);
      this.#isWaiting = false;
    }
  }

  /**
   * Suspends all timeouts until the returned function is called, because the answer waits for a tool or a person. Both have
   * timeouts of their own.
   */
  pause(): () => void {
    if (this.#paused++ === 0) {
      clearTimeout(this.#partTimer);
      clearTimeout(this.#totalTimer);
      this.#totalLeft -= performance.now() - this.#totalSince;
    }
    return () => {
      this.#paused -= 1;
      if (this.#paused > 0 || this.signal.aborted) return;
      this.expectsStart();
      this.#totalSince = performance.now();
      this.#totalTimer = this.#endAfter(Math.max(0, this.#totalLeft), 'answer');
      if (this.#isWaiting) this.#partTimer = this.#endAfter(this.#allowed, 'part');
    };
  }

  #endAfter(ms: number, unit: 'answer' | 'part'): NodeJS.Timeout {
    return setTimeout(
      () => this.#own.abort(new AnswerFailure('stalled', `no complete ${unit} within ${ms} ms`)),
      ms,
    );
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#totalTimer);
    this.#own.abort(new Error('the answer has ended'));
  }
}
