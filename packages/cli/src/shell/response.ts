import { InvalidResponseError, type List, type Page } from '@gatehouse/client';

/** Some members of a response, with any values of their types. Elements of an array are compared with the element of the example. */
export type Example<T> = T extends readonly (infer E)[]
  ? readonly Example<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Example<T[K]> }
    : T;

/**
 * Returns a response that has the members of the example, with values of the same types. Captive portals and some proxies answer every
 * request with 200 or 204.
 *
 * @throws {InvalidResponseError} for another response.
 * @example
 * const { url } = checked(await gatehouse.links.create(request), { url: '' });
 */
export function checked<T>(response: T, example: Example<T>): T {
  if (isLike(response, example)) return response;
  throw otherForm();
}

export function otherForm(): InvalidResponseError {
  return new InvalidResponseError(
    'The response has another form than expected. Check the URL and the version of the service.',
  );
}

function isLike(value: unknown, example: unknown): boolean {
  if (Array.isArray(example))
    return Array.isArray(value) && example.every((one) => value.every((own) => isLike(own, one)));
  if (typeof example !== 'object' || example === null) return typeof value === typeof example;
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(example).every(([name, member]) => isLike(members[name], member));
}

/** Checks that the response to a deletion is empty. */
export function checkEmpty(response: unknown): void {
  if (response !== undefined) throw otherForm();
}

type ItemOf<P extends Page> = P['items'][number];

/** Checks a page of a list, whose items have the members of the example. */
export function pageOf<P extends Page>(page: P, item: Example<ItemOf<P>>): P {
  checked<Page>(page, { items: [item] });
  if (page.next !== null) checked<Page>(page, { next: '' });
  return page;
}

/** Yields the items of all pages of a list. */
export async function* itemsOf<P extends Page>(
  list: List<P>,
  item: Example<ItemOf<P>>,
): AsyncGenerator<ItemOf<P>, void, undefined> {
  for await (const page of list.pages()) yield* pageOf(page, item).items as ItemOf<P>[];
}
