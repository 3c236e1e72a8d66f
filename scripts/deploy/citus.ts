import { textOf } from './files.ts';

/** The contents of `deploy/citus.sql`. */
export interface Sharding {
  readonly reference: readonly string[];
  /** Tables with their distribution column, in the order of the file. */
  readonly distributed: ReadonlyMap<string, string>;
  /** Distributed tables that are colocated with `spaces`. */
  readonly colocated: readonly string[];
  readonly local: readonly string[];
  /** Indexes for lookups that do not filter by space. */
  readonly fansOut: readonly string[];
}

export function readSharding(): Sharding {
  const text = textOf('citus.sql');
  const all = (pattern: RegExp) => [...text.matchAll(pattern)];
  const listed = (name: string) =>
    (new RegExp(`^-- ${name}: (.*)$`, 'm').exec(text)?.[1] ?? '').split(', ');
  return {
    reference: all(/^select create_reference_table\('(\w+)'\);$/gm).map(([, table = '']) => table),
    distributed: new Map(
      all(/^select create_distributed_table\('(\w+)', '(\w+)', .*\);$/gm).map(
        ([, table = '', column = '']) => [table, column],
      ),
    ),
    colocated: all(
      /^select create_distributed_table\('(\w+)', .*, colocate_with => 'spaces'\);$/gm,
    ).map(([, table = '']) => table),
    local: listed('local'),
    fansOut: listed('fans out'),
  };
}
