/** Time in milliseconds for which rows are gathered before they are written. */
const GATHER_MS = 1000;
/** Maximum number of rows per call of `write`. */
const ROWS_PER_WRITE = 200;

export interface GatheredWritesOptions<Row> {
  /** Writes rows with different keys. */
  readonly write: (rows: readonly Row[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Gathers rows by key and writes them together in the background, because separate writes would cost one fsync each.
 *
 *   idle ──set──▶ gathering ──1 s, or drain──▶ writing ──▶ gathering if there are new rows, else idle
 *
 * A failed write is reported and its rows are dropped. A crash loses unwritten rows. Use it only for informational data.
 */
export class GatheredWrites<Row> {
  readonly #options: GatheredWritesOptions<Row>;
  #gathered = new Map<string, Row>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: GatheredWritesOptions<Row>) {
    this.#options = options;
  }

  /** Returns the gathered row of a key, if it is not being written yet. */
  get(key: string): Row | undefined {
    return this.#gathered.get(key);
  }

  /** Adds the row of a key, or replaces it. */
  set(key: string, row: Row): void {
    this.#gathered.set(key, row);
    this.#timer ??= setTimeout(() => this.drain(), GATHER_MS).unref();
  }

  /** Resolves when all rows so far are written, or dropped after a failed write. At most one write runs at a time. */
  drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeGathered());
    return this.#writing;
  }

  async #writeGathered(): Promise<void> {
    const rows = [...this.#gathered.values()];
    this.#gathered = new Map();
    try {
      for (let at = 0; at < rows.length; at += ROWS_PER_WRITE)
        await this.#options.write(rows.slice(at, at + ROWS_PER_WRITE));
    } catch (error) {
      // Skips the other rows, because they would fail for the same reason, such as a full disk.
      this.#options.onError(error);
    }
  }
}
