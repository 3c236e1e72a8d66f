/** Milliseconds for which a right counts as confirmed. */
const CONFIRMED_FOR_MS = 100;

/**
 * A right that was just confirmed. It can end while the request waits for its body, for a model or for a slow client, so somebody who holds
 * the request back could use it for minutes afterwards.
 */
export class ConfirmedRight {
  #at = performance.now();

  /** Confirms the right again, unless it was confirmed in the last 100 ms. Rejects if `confirm` rejects. */
  async renew(confirm: () => Promise<unknown>): Promise<void> {
    if (performance.now() - this.#at <= CONFIRMED_FOR_MS) return;
    await confirm();
    this.#at = performance.now();
  }
}
