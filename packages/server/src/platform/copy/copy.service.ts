import { randomUUID } from 'node:crypto';
import type { CopyEnd, CopyKey, CopyTable } from '../../storage/ports/index.ts';
import { type Digest, digestIdentities, digestTable } from './digest.ts';
import { TABLES } from './tables.ts';

/** The copy cannot start: the target holds something else, or the schemas differ. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/** Source and target differ after the copy. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

export interface CopyDeps {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  /** Called often. */
  readonly onProgress: (step: CopyStep) => void;
}

export interface CopyStep {
  readonly doing: 'copying' | 'comparing';
  /** A table, or `identities`. */
  readonly table: string;
  /** Rows of this table that this run has processed. */
  readonly rows: number;
}

/** The fact of the target that stores the progress of the copy. */
export const COPY_FACT = 'copy';
const ID_FACT = 'id';
/** Facts that are copied. */
const FACTS = ['secret-check'];

/** The progress of a copy: all tables before `table`, and of that table all rows up to the key `after`. */
interface CopyState {
  /** The id of the source installation. */
  readonly from: string;
  readonly table: string | null;
  readonly after: CopyKey | null;
  readonly done: boolean;
}

/**
 * Copies everything from one store into an empty one, or resumes such a copy, and compares the two. It may be killed
 * at any moment: the progress is written with the rows.
 *
 * @returns the digests of both stores by table. Throws `CopyRefused` and `CopyDiffers`.
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

/** Reports whether a copy into an installation was started and not finished, from its `COPY_FACT`. */
export function isUnfinished(fact: string | undefined): boolean {
  return fact !== undefined && !(JSON.parse(fact) as CopyState).done;
}

/** Returns the progress that the target stores; an empty target starts a new copy. */
async function openState(from: CopyEnd, to: CopyEnd): Promise<CopyState> {
  const id = await idOf(from);
  const text = await to.fact(COPY_FACT);
  if (text === undefined) {
    if (!(await to.isEmpty(TABLES)))
      throw new CopyRefused(`${to.words} holds data already; copy into an empty place`);
    const state = { from: id, table: null, after: null, done: false };
    await to.putFact(COPY_FACT, JSON.stringify(state));
    return state;
  }
  const state = JSON.parse(text) as CopyState;
  if (state.from !== id)
    throw new CopyRefused(`${to.words} holds a copy of another installation; empty it first`);
  if (state.done) throw new CopyRefused(`${to.words} holds this copy already, whole and checked`);
  return state;
}

/** Returns the id of an installation, which its first copy creates. */
async function idOf(end: CopyEnd): Promise<string> {
  const known = await end.fact(ID_FACT);
  if (known !== undefined) return known;
  const id = randomUUID();
  await end.putFact(ID_FACT, id);
  return id;
}

/** Stores of one release have the same columns; with any difference the copy could lose data. */
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
      `${from.words} and ${to.words} differ: ${differing.join(', ')}. Was the source used since the copy began? Empty the target and copy again`,
    );
  return digests;
}
