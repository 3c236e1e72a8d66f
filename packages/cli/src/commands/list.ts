import type { List, Page } from '@gatehouse/client';
import type { Column } from '../output/output.ts';
import type { Context } from '../shell/context.ts';
import { type Example, itemsOf } from '../shell/response.ts';
import { type ListOptions, limited } from './options.ts';

/** A page of items with IDs. */
type PageWithIds = Page & { readonly items: readonly { readonly id: string }[] };

/**
 * Prints the first items of a list, and a message if there are more.
 *
 * @param example members that the columns need, besides those whose values are only printed. Default: the ID.
 */
export async function printList<P extends PageWithIds>(
  { out, signal }: Context,
  list: List<P>,
  options: ListOptions,
  shown: readonly Column<P['items'][number]>[],
  example: Example<P['items'][number]> = { id: '' } as Example<P['items'][number]>,
): Promise<void> {
  let hasMore = false;
  const first = limited(itemsOf(list, example), options, () => {
    hasMore = true;
  });
  await out.table(first, shown);
  signal.throwIfAborted();
  if (hasMore) out.note('There are more. Use --limit <n> or --all.');
}
