import type { CopyEnd, CopyTable } from '../../storage/ports/index.ts';
import { CopyDiffers, CopyRefused } from './copy.errors.ts';
import { COPY_FACT, type CopyState, stateOf } from './copy-state.ts';
import { type Digest, digestIdentities, digestTable } from './digest.ts';
import { TABLES } from './tables.ts';

export interface CopyDeps {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  /** Hears how far it has got, often. */
  readonly onProgress: (step: CopyStep) => void;
}

export interface CopyStep {
  readonly doing: 'copying' | 'comparing';
  /** A table, or `identities`. */
  readonly table: string;
  /** So far, of this table in this run. */
  readonly rows: number;
}

/** Facts that both ends have in common, if there are any. */
const FACTS = ['secret-check'];

/**
 * Copies everything from one store into another that is empty, or in which the same copy was begun, and compares
 * the two. It may be killed at any moment and begun again: how far it has got is written with the rows.
 *
 * @returns what both hold, by table. Throws `CopyRefused` and `CopyDiffers`.
 */
export async function copy(deps: CopyDeps): Promise<ReadonlyMap<string, Digest>> {
  const { from, to } = deps;
  const state = await stateOf(from, to);
  await checkColumns(from, to);
  const begun = TABLES.findIndex(({ name }) => name === state.table);
  for (const table of TABLES.slice(Math.max(0, begun))) await copyTable(deps, table, state);
  deps.onProgress({ doing: 'copying', table: 'identities', rows: 0 });
  await to.writeIdentities(() => from.identities());
  await to.writeCounters(await from.counters());
  const digests = await compare(deps);
  for (const name of FACTS) {
    const value = await from.fact(name);
    if (value !== undefined) await to.putFact(name, value);
  }
  const done: CopyState = { from: state.from, table: null, after: null, done: true };
  await to.putFact(COPY_FACT, JSON.stringify(done));
  return digests;
}

/** Two stores of one release have the same columns; anything else would lose what one of them does not have. */
async function checkColumns(from: CopyEnd, to: CopyEnd): Promise<void> {
  for (const table of TABLES) {
    const [here, there] = [await from.columns(table), await to.columns(table)];
    if (here.length === 0 || here.join() !== there.join())
      throw new CopyRefused(`the table ${table.name} is not the same at both ends`);
  }
}

async function copyTable(
  { from, to, onProgress }: CopyDeps,
  table: CopyTable,
  state: CopyState,
): Promise<void> {
  const after = state.table === table.name ? state.after : null;
  let rows = 0;
  for await (const some of from.rows(table, after)) {
    const last = some.at(-1);
    if (last === undefined) continue;
    const key = table.key.map((column) => last[column] as string | number);
    const now: CopyState = { from: state.from, table: table.name, after: key, done: false };
    await to.write(table, some, { name: COPY_FACT, value: JSON.stringify(now) });
    rows += some.length;
    onProgress({ doing: 'copying', table: table.name, rows });
  }
}

async function compare({ from, to, onProgress }: CopyDeps): Promise<ReadonlyMap<string, Digest>> {
  const digests = new Map<string, Digest>();
  const differing: string[] = [];
  const take = (name: string, here: Digest, there: Digest): void => {
    digests.set(name, here);
    onProgress({ doing: 'comparing', table: name, rows: here.rows });
    if (here.rows !== there.rows || here.digest !== there.digest)
      differing.push(`${name} (${here.rows} and ${there.rows} rows)`);
  };
  for (const table of TABLES)
    take(table.name, await digestTable(from, table), await digestTable(to, table));
  take('identities', await digestIdentities(from), await digestIdentities(to));
  if (differing.length > 0)
    throw new CopyDiffers(
      `${from.words} and ${to.words} differ: ${differing.join(', ')}. Was the source used since the copy began? Empty the target and begin anew`,
    );
  return digests;
}
