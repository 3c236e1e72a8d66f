import { AnswerFailure } from '../answerer.ts';

/** What one answer may take. Milliseconds, and UTF-16 units or bytes where it says so. */
export interface AnswerLimits {
  /** Until the model begins to answer a request, thinking included. */
  readonly firstMs: number;
  /** Between two parts of what it says. */
  readonly betweenMs: number;
  /** For the whole answer, searches included. */
  readonly totalMs: number;
  /** UTF-16 units of text. */
  readonly text: number;
  /** Bytes of one response of the model's server, protocol included. */
  readonly bytes: number;
  /** How often the model may look again; 0: it is offered no search. */
  readonly searches: number;
}

export const ANSWER_LIMITS: AnswerLimits = {
  firstMs: 30_000,
  betweenMs: 20_000,
  totalMs: 120_000,
  text: 64 * 1024,
  bytes: 16 * 1024 * 1024,
  searches: 3,
};

/**
 * Ends an answer: when its reader's signal says so, or when it takes too long. Time counts only while
 * something is waited for, so that a slow reader does not make a model look slow; the limit of the whole
 * answer counts always.
 */
export class Watch implements Disposable {
  /** Aborts with the reader's reason or an `AnswerFailure`. */
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #limits: AnswerLimits;
  readonly #whole: NodeJS.Timeout;
  #allowed: number;
  /** Rejects what is waited for now; in a race with a promise for all, each part would be kept until the end. */
  #giveUp: (reason: unknown) => void = () => {};

  constructor(reader: AbortSignal, limits: AnswerLimits) {
    this.#limits = limits;
    this.#allowed = limits.firstMs;
    this.signal = AbortSignal.any([reader, this.#own.signal]);
    this.#whole = this.#endAfter(limits.totalMs, 'altogether');
    this.signal.addEventListener('abort', () => this.#giveUp(this.signal.reason), { once: true });
  }

  /** Allows `firstMs` for the next part: a request begins. */
  expectsStart(): void {
    this.#allowed = this.#limits.firstMs;
  }

  /** Allows `betweenMs` for the next part: the model is responding. */
  expectsProgress(): void {
    this.#allowed = this.#limits.betweenMs;
  }

  /** What this gives, unless the answer ends first. One at a time. */
  async until<T>(waiting: Promise<T>): Promise<T> {
    const limit = this.#endAfter(this.#allowed, 'without a part');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#giveUp = reject;
    waiting.then(resolve, reject);
    if (this.signal.aborted) reject(this.signal.reason);
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
    }
  }

  #endAfter(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => this.#own.abort(new AnswerFailure('stalled', `${ms} ms ${what}`)), ms);
  }

  /** Closes what is still open. */
  [Symbol.dispose](): void {
    clearTimeout(this.#whole);
    this.#own.abort(new Error('the answer is over'));
  }
}
