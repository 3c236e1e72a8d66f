import { FULL } from '@gatehouse/filter/tests/campaign';
import type { History, Operation, Round } from './history.ts';

/** A test that inserts a defect only needs a failure. `npm run test:chaos` also shows a shorter history of it. */
const RUNS_FOR_DEFECT = FULL ? 30 : 3;

/**
 * Returns the maximum number of histories to run in order to shorten one.
 *
 * @param usual the number if no defect was inserted.
 */
export function maxShrinkingRuns(usual: number): number {
  return process.env['GATEHOUSE_SIMULATED_DEFECT'] === undefined ? usual : RUNS_FOR_DEFECT;
}

/** Reports whether a history still fails. */
export type Fails = (history: History) => Promise<boolean>;

/**
 * Returns a short history that still fails. Removes rounds, faults, operations and events as long as the history fails, and replaces
 * faults and ends by simpler ones.
 *
 * @param maxRuns maximum number of histories to run.
 */
export async function shrink(failing: History, fails: Fails, maxRuns: number): Promise<History> {
  let best = failing;
  for (let runs = 0; runs < maxRuns; ) {
    let isShorter = false;
    for (const candidate of candidatesOf(best)) {
      runs += 1;
      if (runs > maxRuns) break;
      if (!(await fails(candidate))) continue;
      best = candidate;
      isShorter = true;
      break;
    }
    if (!isShorter) break;
  }
  return best;
}

/** Yields simpler histories, those with the largest change first. */
function* candidatesOf(history: History): Generator<History> {
  const { rounds } = history;
  for (const shorter of withoutSome(rounds)) yield { ...history, rounds: shorter };
  for (const [index, round] of rounds.entries())
    for (const simpler of simplerRounds(round))
      yield { ...history, rounds: rounds.with(index, simpler) };
}

function* simplerRounds(round: Round): Generator<Round> {
  for (const operations of withoutSome(round.operations)) yield { ...round, operations };
  for (const faults of withoutSome(round.faults)) yield { ...round, faults };
  for (const [index, fault] of round.faults.entries()) {
    if (fault.until > fault.at)
      yield { ...round, faults: round.faults.with(index, { ...fault, until: fault.at }) };
    // A shorter history needs fewer steps to the same point.
    for (const less of [16, 4, 1])
      if (fault.at > less) {
        const earlier = { ...fault, at: fault.at - less, until: fault.until - less };
        yield { ...round, faults: round.faults.with(index, earlier) };
      }
  }
  if (!round.settles) yield { ...round, settles: true };
  for (const [index, operation] of round.operations.entries())
    for (const simpler of simplerOperations(operation))
      yield { ...round, operations: round.operations.with(index, simpler) };
}

function* simplerOperations(operation: Round['operations'][number]): Generator<Operation> {
  if (operation.kind !== 'append') return;
  const { batches, repeats } = operation;
  if (repeats > 0) yield { ...operation, repeats: 0 };
  for (const fewer of withoutSome(batches))
    if (fewer.length > 0) yield { ...operation, batches: fewer };
  for (const [index, batch] of batches.entries())
    for (const ids of withoutSome(batch.ids))
      if (ids.length > 0) yield { ...operation, batches: batches.with(index, { ...batch, ids }) };
}

/** Yields the list without parts of half of its length, then without smaller parts. */
export function* withoutSome<T>(list: readonly T[]): Generator<readonly T[]> {
  for (
    let size = Math.ceil(list.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < list.length; at += size) yield list.toSpliced(at, size);
}
