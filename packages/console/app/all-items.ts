/** Loads all pages of a list, for lists with at most a few hundred items. Returns them as one page. */
export async function allItems<T>(
  list: AsyncIterable<T>,
): Promise<{ readonly items: readonly T[]; readonly next: null }> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return { items, next: null };
}
