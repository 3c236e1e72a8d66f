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
  /** Bytes that the model's server sends for one answer, protocol included. */
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
