/** How long after its link has ended an answer may go on. */
const EVERY_MS = 1000;

/**
 * Ends an answer when its link has ended. It asks again and again, rather than being told by whoever ends the
 * link: that may be another replica, or time.
 */
export class LinkWatch implements Disposable {
  readonly #ended = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** @param requireLife rejects when the link does not live, or when that cannot be known. */
  constructor(requireLife: () => Promise<void>) {
    const look = () => void requireLife().catch((error) => this.#ended.abort(error));
    this.#timer = setInterval(look, EVERY_MS).unref();
  }

  /** Aborts with that rejection. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
