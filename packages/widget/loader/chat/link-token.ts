/** Returns the token of a new link for the same person. */
export type GetToken = () => string | Promise<string>;

export interface TokenHolder extends HTMLElement {
  getToken?: GetToken | string;
}

type TokenSource = Pick<TokenHolder, 'getAttribute' | 'getToken'>;

const TIMEOUT_MS = 30_000;

/** The link token of an element: the latest from `getToken`, initially the one of the attribute. */
export class LinkToken {
  readonly #element: TokenSource;
  #attribute: string | null = null;
  #latest: string | null = null;
  #renewing: Promise<string> | null = null;

  constructor(element: TokenSource) {
    this.#element = element;
  }

  /** Reports whether the attribute has changed since the last call. If so, forgets newer tokens. */
  hasChanged(): boolean {
    const attribute = this.#element.getAttribute('token');
    if (attribute === this.#attribute) return false;
    this.#attribute = attribute;
    this.#latest = null;
    return true;
  }

  get current(): string | null {
    return this.#latest ?? this.#attribute;
  }

  get canRenew(): boolean {
    return this.#source !== null;
  }

  /** Calls `getToken`. Concurrent calls share one call. Rejects after 30 s, or if the result is not a token. */
  renew(): Promise<string> {
    this.#renewing ??= this.#callGetToken().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  get #source(): GetToken | string | null {
    return this.#element.getToken ?? this.#element.getAttribute('get-token');
  }

  async #callGetToken(): Promise<string> {
    const source = this.#source;
    const getToken =
      typeof source === 'string' ? (window as unknown as Record<string, unknown>)[source] : source;
    if (typeof getToken !== 'function') throw new TypeError(`${source} is no function`);
    const attribute = this.#attribute;
    const token: unknown = await Promise.race([getToken(), rejectAfterTimeout()]);
    if (typeof token !== 'string' || token === '') throw new TypeError('getToken gave no text');
    if (attribute === this.#attribute) this.#latest = token;
    return token;
  }
}

function rejectAfterTimeout(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('getToken gave nothing in 30 s')), TIMEOUT_MS);
  });
}
