/**
 * The parts of an iteration that starts before anybody reads it. Only its first two parts are requested early: an answer announces itself
 * with the first one, and asks the model for the second one.
 *
 *   started ──run──▶ read, which also ends when the reader is gone
 *   started ──abandon──▶ ended
 */
export class EarlyParts<Part> {
  readonly #ending = new AbortController();
  readonly #parts: AsyncIterator<Part>;
  readonly #early: readonly Promise<IteratorResult<Part>>[];

  /** @param start starts the iteration. Its signal aborts when the iteration must end. */
  constructor(start: (signal: AbortSignal) => AsyncIterable<Part>) {
    this.#parts = start(this.#ending.signal)[Symbol.asyncIterator]();
    this.#early = [this.#parts.next(), this.#parts.next()];
    // `run` reports a failure.
    for (const part of this.#early) part.catch(() => {});
  }

  /**
   * Yields all parts. Call this once, and iterate the result to the end.
   *
   * @param gone ends the iteration.
   */
  async *run(gone: AbortSignal): AsyncGenerator<Part> {
    const end = () => this.#ending.abort(gone.reason);
    gone.addEventListener('abort', end, { once: true });
    if (gone.aborted) end();
    try {
      for (const early of this.#early) {
        const part = await early;
        if (part.done === true) return;
        yield part.value;
      }
      for (;;) {
        const part = await this.#parts.next();
        if (part.done === true) return;
        yield part.value;
      }
    } finally {
      gone.removeEventListener('abort', end);
      await this.abandon(gone.reason);
    }
  }

  /** Ends the iteration if it has not ended, without a reader. Resolves when it has ended. */
  async abandon(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    await this.#parts.return?.().catch(() => {});
  }
}
