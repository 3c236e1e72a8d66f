import { InvalidResponseError } from '../errors.ts';

/** One page of a list. */
export interface Page {
  readonly items: readonly unknown[];
  /** Cursor of the next page. `null` on the last page. */
  readonly next: string | null;
}

/** Type of the items of a page. */
export type ItemOf<P extends Page> = P extends { readonly items: readonly (infer I)[] } ? I : never;

/**
 * A list of the API. Awaiting it loads one page. Iterating over it loads all pages, each when it is needed.
 *
 * @example
 * for await (const document of gatehouse.documents.list()) console.log(document.title);
 */
export class List<P extends Page> implements PromiseLike<P>, AsyncIterable<ItemOf<P>> {
  readonly #load: (after?: string) => Promise<P>;
  #first: Promise<P> | undefined;

  /** @internal */
  constructor(load: (after?: string) => Promise<P>) {
    this.#load = load;
  }

  /**
   * Loads the first page, or the page after the cursor `after` of the query.
   *
   * @example
   * const page = await gatehouse.documents.list({ limit: 10 });
   * if (page.next !== null) await gatehouse.documents.list({ limit: 10, after: page.next });
   */
  // biome-ignore lint/suspicious/noThenProperty: a list can be awaited.
  then<A = P, B = never>(
    onPage?: ((page: P) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#load();
    return this.#first.then(onPage, onError);
  }

  /**
   * Iterates over the pages.
   *
   * @example
   * for await (const { items } of gatehouse.documents.list({ limit: 100 }).pages()) {
   *   console.log(items.length);
   * }
   */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let after: string | undefined;
    for (let page: P = await this.then(); ; page = await this.#load(after)) {
      yield page;
      if (page.next === null) return;
      // A cache that ignores the query returns the first page again and again.
      if (page.next === after)
        throw new InvalidResponseError(
          'The next cursor is missing or repeated. Check the URL and proxies.',
        );
      after = page.next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<P>, void, undefined> {
    for await (const { items } of this.pages()) yield* items as ItemOf<P>[];
  }
}
