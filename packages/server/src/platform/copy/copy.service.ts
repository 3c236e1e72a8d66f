import { randomUUID } from 'node:crypto';
import type { CopyEnd, CopyKey, CopyTable } from '../../storage/ports/index.ts';
import { type Digest, digestIdentities, digestTable } from './digest.ts';
import { TABLES } from './tables.ts';

/** Thrown if the copy cannot start, because the target contains other data or the schemas differ. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

export interface CopyDeps {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly onProgress: (step: CopyStep) => void;
}

export interface CopyStep {
  readonly doing: 'copying' | 'comparing';
  readonly table: string;
  readonly rows: number;
}

/** Name of the fact in the target that stores the progress of the copy. */
export const COPY_FACT = 'copy';
const ID_FACT = 'id';
const FACTS = ['secret-check'];

/** The progress of a copy. All tables before `table` are copied. In `table`, all rows up to the key `after` are copied. */
interface CopyState {
  readonly from: string;
  readonly table: string | null;
  readonly after: CopyKey | null;
  readonly done: boolean;
}

/**
 * Copies all data from one store to an empty store, or resumes an interrupted copy, and then compares the two stores. The process
 * may be killed at any time, because each transaction writes the progress together with the rows.
 *
 * @returns the digest of each table, which is the same in both stores. Throws `CopyRefused` and `CopyDiffers`.
 */
export async function copy(deps: CopyDeps): Promise<ReadonlyMap<string, Digest>> {
  const { from, to } = deps;
  const state = await openState(from, to);
  await checkColumns(from, to);
  const current = TABLES.findIndex(({ name }) => name === state.table);
  for (const table of TABLES.slice(Math.max(0, current))) await copyTable(deps, table, state);
  deps.onProgress({ doing: 'copying', table: 'identities', rows: 0 });
  await to.writeIdentities(() => from.identities());
  await to.writeCounters(await from.counters());
  const digests = await compare(deps);
  for (const name of FACTS) {
    const value = await from.fact(name);
    if (value !== undefined) await to.putFact(name, value);
  }
  await to.putFact(COPY_FACT, JSON.stringify({ ...state, table: null, after: null, done: true }));
  return digests;
}

/** Reports whether the `COPY_FACT` of an installation belongs to a copy that was started but not finished. */
export function isUnfinished(fact: string | undefined): boolean {
  return fact !== undefined && !(JSON.parse(fact) as CopyState).done;
}

/** Returns the progress that is stored in the target. If the target is empty, starts a new copy. */
async function openState(from: CopyEnd, to: CopyEnd): Promise<CopyState> {
  const id = await idOf(from);
  const text = await to.fact(COPY_FACT);
  if (text === undefined) {
    if (!(await to.isEmpty(TABLES)))
      throw new CopyRefused(`${to.label} already contains data; copy into an empty target`);
    const state = { from: id, table: null, after: null, done: false };
    await to.putFact(COPY_FACT, JSON.stringify(state));
    return state;
  }
  const state = JSON.parse(text) as CopyState;
  if (state.from !== id)
    throw new CopyRefused(`${to.label} contains a copy of another installation; empty it first`);
  if (state.done)
    throw new CopyRefused(`${to.label} already contains this copy, complete and compared`);
  return state;
}

/** Returns the ID of an installation. The first copy from the installation creates the ID. */
async function idOf(end: CopyEnd): Promise<string> {
  const known = await end.fact(ID_FACT);
  if (known !== undefined) return known;
  const id = randomUUID();
  await end.putFact(ID_FACT, id);
  return id;
}

/** Throws unless both stores have the same columns, because the copy could otherwise lose data. */
async function checkColumns(from: CopyEnd, to: CopyEnd): Promise<void> {
  for (const table of TABLES) {
    const [here, there] = [await from.columns(table), await to.columns(table)];
    if (here.length === 0 || here.join() !== there.join())
      throw new CopyRefused(
        `the columns of the table ${table.name} differ between source and target`,
      );
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
    const progress: CopyState = { ...state, table: table.name, after: key };
    await to.write(table, some, { name: COPY_FACT, value: JSON.stringify(progress) });
    rows += some.length;
    onProgress({ doing: 'copying', table: table.name, rows });
  }
}

async function compare({ from, to, onProgress }: CopyDeps): Promise<ReadonlyMap<string, Digest>> {
  const digests = new Map<string, Digest>();
  const differing: string[] = [];
  const add = (name: string, here: Digest, there: Digest): void => {
    digests.set(name, here);
    onProgress({ doing: 'comparing', table: name, rows: here.rows });
    if (here.rows !== there.rows || here.digest !== there.digest)
      differing.push(`${name} (${here.rows} and ${there.rows} rows)`);
  };
  for (const table of TABLES)
    add(table.name, await digestTable(from, table), await digestTable(to, table));
  add('identities', await digestIdentities(from), await digestIdentities(to));
  if (differing.length > 0)
    throw new CopyDiffers(
      `${from.label} and ${to.label} differ: ${differing.join(', ')}. The source may have changed during the copy. Empty the target and copy again`,
    );
  return digests;
}
