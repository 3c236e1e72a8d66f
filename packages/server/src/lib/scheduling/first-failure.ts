/** Reports only the first of consecutive failures, for work that is retried every few seconds. */
export class FirstFailure {
  readonly #report: (error: unknown) => void;
  #failing = false;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Runs the work. Never rejects. */
  async of(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#report(error);
      this.#failing = true;
    }
  }
}
