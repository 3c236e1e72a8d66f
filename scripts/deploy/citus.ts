import { textOf } from './files.ts';

/** What `deploy/citus.sql` says of the schema. */
export interface Sharding {
  readonly reference: readonly string[];
  /** Tables with the column that they are spread by, in the order in which that is done. */
  readonly distributed: ReadonlyMap<string, string>;
  /** Those of them that lie beside their space. */
  readonly colocated: readonly string[];
  readonly local: readonly string[];
  /** Indexes by which rows are found without knowing the space. */
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
