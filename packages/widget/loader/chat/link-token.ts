/** Gives a token of a fresh link for the same person. */
export type GetToken = () => string | Promise<string>;

export interface TokenHolder extends HTMLElement {
  getToken?: GetToken | string;
}

const PATIENCE_MS = 30_000;

/** The link of an element: the newest that the page gave, and at first the one that the element names. */
export class LinkToken {
  readonly #element: TokenHolder;
  #named: string | null = null;
  #newest: string | null = null;
  #asking: Promise<string> | null = null;

  constructor(element: TokenHolder) {
    this.#element = element;
  }

  /** Whether the element names another one since the last time. What came after that one is forgotten. */
  hasChanged(): boolean {
    const named = this.#element.getAttribute('token');
    if (named === this.#named) return false;
    this.#named = named;
    this.#newest = null;
    return true;
  }

  get current(): string | null {
    return this.#newest ?? this.#named;
  }

  get canRenew(): boolean {
    return this.#source !== null;
  }

  /** Asks the page, once at a time. Rejects when it gives none in 30 seconds, or something else. */
  renew(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  get #source(): GetToken | string | null {
    return this.#element.getToken ?? this.#element.getAttribute('get-token');
  }

  async #ask(): Promise<string> {
    const source = this.#source;
    const getToken =
      typeof source === 'string' ? (window as unknown as Record<string, unknown>)[source] : source;
    if (typeof getToken !== 'function') throw new TypeError(`${source} is no function`);
    const named = this.#named;
    const token: unknown = await Promise.race([getToken(), rejectLater()]);
    if (typeof token !== 'string' || token === '') throw new TypeError('getToken gave no text');
    if (named === this.#named) this.#newest = token;
    return token;
  }
}

function rejectLater(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('getToken gave nothing in 30 s')), PATIENCE_MS);
  });
}
