/** Maximum number of items that a list of the service returns. */
const MOST = 200;

/** Loads all pages of a list, for lists with at most a few hundred items. */
export async function allItems<T>(
  load: (query: {
    readonly limit: number;
    readonly after?: string;
  }) => PromiseLike<{ readonly items: readonly T[]; readonly next: string | null }>,
): Promise<{ readonly items: readonly T[]; readonly next: null }> {
  const items: T[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page = await load({ limit: MOST, ...(after === '' ? {} : { after }) });
    items.push(...page.items);
    after = page.next;
  }
  return { items, next: null };
}
