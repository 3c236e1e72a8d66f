/** Tells of the first of several failures in a row, for work that is tried again every few seconds. */
export class FirstFailure {
  readonly #tell: (error: unknown) => void;
  #failing = false;

  constructor(tell: (error: unknown) => void) {
    this.#tell = tell;
  }

  /** Does it; never rejects. */
  async of(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#tell(error);
      this.#failing = true;
    }
  }
}
