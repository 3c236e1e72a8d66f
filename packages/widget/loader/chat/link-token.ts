/** Returns the token of a new link for the same person. */
export type GetToken = () => string | Promise<string>;

export interface TokenHolder extends HTMLElement {
  getToken?: GetToken | string;
}

type TokenSource = Pick<TokenHolder, 'getAttribute' | 'getToken'>;

const TIMEOUT_MS = 30_000;

/** The link token of an element: the latest result of `getToken`, or initially the `token` attribute. */
export class LinkToken {
  readonly #element: TokenSource;
  #attribute: string | null = null;
  #latest: string | null = null;
  #renewing: Promise<string> | null = null;

  constructor(element: TokenSource) {
    this.#element = element;
  }

  /** Reports whether the attribute has changed since the last call. A change discards the results of `getToken`. */
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

  /** Calls `getToken`. Concurrent calls share one call. Rejects after 30 seconds, or if the result is not a token. */
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
    if (typeof getToken !== 'function')
      throw new TypeError(`getToken: ${source} is not a function`);
    const attribute = this.#attribute;
    const token = await withTimeout(getToken());
    if (typeof token !== 'string' || token === '')
      throw new TypeError('getToken must return a token');
    if (attribute === this.#attribute) this.#latest = token;
    return token;
  }
}

async function withTimeout(result: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('getToken returned no token within 30 seconds')),
      TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
