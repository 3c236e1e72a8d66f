import type { Column } from '../output/output.ts';
import type { Context } from '../shell/context.ts';
import { type ListOptions, limited } from './options.ts';

/** Prints the first items of a list, and a message if there are more. */
export async function printList<T>(
  { out, signal }: Context,
  items: AsyncIterable<T>,
  options: ListOptions,
  shown: readonly Column<T>[],
): Promise<void> {
  let hasMore = false;
  const first = limited(items, options, () => {
    hasMore = true;
  });
  await out.table(first, shown);
  signal.throwIfAborted();
  if (hasMore) out.note('There are more. Use --limit <n> or --all.');
}
