import { createHash, randomUUID } from 'node:crypto';
import type { CopyEnd, CopyKey, CopyRow, CopyTable, CopyValue } from '../../storage/ports/index.ts';
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
    throw new CopyRefused(
      `${to.label} already contains this copy, complete and compared; start services on it, or empty it to copy again`,
    );
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

/** A digest of a table's rows. Tables with the same rows have equal digests. */
interface Digest {
  readonly rows: number;
  readonly digest: string;
}

/** Returns the digest of a table. It covers all rows in key order, and the type and value of every column that is not derived. */
async function digestTable(end: CopyEnd, table: CopyTable): Promise<Digest> {
  const derived = table.derived ?? [];
  const columns = (await end.columns(table)).filter((column) => !derived.includes(column));
  const hash = createHash('sha256').update(columns.join());
  let rows = 0;
  for await (const some of end.rows(table, null)) {
    rows += some.length;
    for (const row of some) addRow(row, columns, (part) => hash.update(part));
  }
  return { rows, digest: hash.digest('hex') };
}

function addRow(
  row: CopyRow,
  columns: readonly string[],
  add: (part: string | Uint8Array) => void,
): void {
  let text = '\n';
  for (const column of columns) {
    const value = row[column] ?? null;
    if (value instanceof Uint8Array) {
      add(`${text}b${value.byteLength}:`);
      add(value);
      text = '';
    } else text += encoded(value);
  }
  if (text !== '') add(text);
}

/** Encodes a value with its type. Strings include their length, so different rows have different encodings. */
function encoded(value: Exclude<CopyValue, Uint8Array>): string {
  if (value === null) return '-';
  return typeof value === 'string' ? `s${value.length}:${value}` : `n${value};`;
}

const KEY_WORDS = 4;

/**
 * Returns a digest of identities that does not depend on their order. The digest consists of the number of identities and the
 * sums of their 32-bit words. Identities are hashes, so different sets practically never have the same sums.
 */
async function digestIdentities(end: CopyEnd): Promise<Digest> {
  const sums = new Uint32Array(KEY_WORDS * 2);
  let words = 0;
  for await (const some of end.identities()) {
    const bytes = Buffer.from(some.buffer, some.byteOffset, some.byteLength);
    for (let at = 0; at < bytes.byteLength; at += 4) {
      const word = bytes.readUInt32LE(at);
      const column = words % KEY_WORDS;
      sums[column] = (sums[column] ?? 0) + word;
      // Plain sums do not detect words that were swapped between identities, so a product is summed too.
      sums[KEY_WORDS + column] = (sums[KEY_WORDS + column] ?? 0) + Math.imul(word, word | 1);
      words += 1;
    }
  }
  return { rows: words / KEY_WORDS, digest: Buffer.from(sums.buffer).toString('hex') };
}
