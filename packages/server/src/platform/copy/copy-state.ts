import { randomUUID } from 'node:crypto';
import type { CopyEnd, CopyKey } from '../../storage/ports/index.ts';
import { CopyRefused } from './copy.errors.ts';
import { TABLES } from './tables.ts';

/** The fact about an installation that says how far a copy into it has got. */
export const COPY_FACT = 'copy';
const ID_FACT = 'id';

/** How far a copy has got: everything before the table, and of that what is not behind the key. */
export interface CopyState {
  /** The id of the installation that is copied. */
  readonly from: string;
  readonly table: string | null;
  readonly after: CopyKey | null;
  readonly done: boolean;
}

/**
 * How far this copy has got, from the target; a new one begins where the target is empty. Throws
 * `CopyRefused` for a target that holds something else.
 */
export async function stateOf(from: CopyEnd, to: CopyEnd): Promise<CopyState> {
  const id = await idOf(from);
  const text = await to.fact(COPY_FACT);
  if (text === undefined) {
    if (!(await to.isEmpty(TABLES)))
      throw new CopyRefused(`${to.words} holds data already; copy into an empty place`);
    const begun = { from: id, table: null, after: null, done: false };
    await to.putFact(COPY_FACT, JSON.stringify(begun));
    return begun;
  }
  const state = JSON.parse(text) as CopyState;
  if (state.from !== id)
    throw new CopyRefused(`${to.words} holds a copy of another installation; empty it first`);
  if (state.done) throw new CopyRefused(`${to.words} holds this copy already, whole and checked`);
  return state;
}

/** Whether a copy into an installation was begun and not ended, by its fact. */
export function isUnfinished(text: string | undefined): boolean {
  return text !== undefined && !(JSON.parse(text) as CopyState).done;
}

/** Made when an installation is copied for the first time. */
async function idOf(end: CopyEnd): Promise<string> {
  const known = await end.fact(ID_FACT);
  if (known !== undefined) return known;
  const made = randomUUID();
  await end.putFact(ID_FACT, made);
  return made;
}
