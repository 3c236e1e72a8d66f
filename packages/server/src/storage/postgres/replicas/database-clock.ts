import type { Clock } from '../../../lib/scheduling/index.ts';

/**
 * The clock of the database. Replicas compare the time with times that other replicas stored, such as deadlines, so a replica whose own
 * clock is wrong must not use it.
 */
export class DatabaseClock {
  readonly #own: Clock;
  /** Milliseconds by which the clock of the database is ahead of the clock of this machine. */
  #ahead = 0;

  /** @param own clock of this machine. */
  constructor(own: Clock = Date.now) {
    this.#own = own;
  }

  readonly now: Clock = () => this.#own() + this.#ahead;

  /**
   * Compares the clocks. Changes the difference only as far as the measurement requires, so that delays of the network do not change the
   * time.
   *
   * @param read reads `DATABASE_NOW`.
   */
  async measure(read: () => Promise<number>): Promise<void> {
    const sentAt = this.#own();
    const databaseNow = await read();
    // The database has rounded its time to a millisecond.
    const least = databaseNow - this.#own() - 1;
    const most = databaseNow - sentAt + 1;
    this.#ahead = Math.min(most, Math.max(least, this.#ahead));
  }
}
