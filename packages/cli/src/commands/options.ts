import { type Command, Option } from 'commander';
import { integer } from '../input/values.ts';

export interface ListOptions {
  readonly limit: number;
  readonly all?: true;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000_000;

/** Adds `--limit` and `--all`. */
export function withLimit(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <n>', 'Print at most n items.')
        .argParser(integer(1, MAX_LIMIT))
        .default(DEFAULT_LIMIT),
    )
    .addOption(new Option('--all', 'Print all items.').conflicts('limit'));
}

/** Yields the first items of a list. Calls `onMore` if the list has more. */
export async function* limited<T>(
  items: AsyncIterable<T>,
  { limit, all }: ListOptions,
  onMore: () => void,
): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for await (const item of items) {
    if (!all && count++ === limit) return onMore();
    yield item;
  }
}

/** Returns the size of the pages to request. */
export function pageSize({ limit, all }: ListOptions): number {
  return all ? 200 : Math.min(200, limit + 1);
}
