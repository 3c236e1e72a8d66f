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
  retryMs: 400,
};

/**
 * Aborts an answer when the reader's signal aborts or a timeout expires. `firstMs` and `betweenMs` apply only while `until`
 * waits, so a slow reader does not cause a timeout. `totalMs` always applies.
 */
export class Watch implements Disposable {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #limits: AnswerLimits;
  readonly #totalTimer: NodeJS.Timeout;
  #allowed: number;
  /**
   * Rejects the promise that `until` returned. The alternative, `Promise.race` with a long-lived promise, would leak memory for
   * each part.
   */
  #rejectWait: (reason: unknown) => void = () => {};

  constructor(reader: AbortSignal, limits: AnswerLimits) {
    this.#limits = limits;
    this.#allowed = limits.firstMs;
    this.signal = AbortSignal.any([reader, this.#own.signal]);
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
    const limit = this.#endAfter(this.#allowed, 'part');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#rejectWait = reject;
    waiting.then(resolve, reject);
    if (this.signal.aborted) reject(this.signal.reason);
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
    }
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
