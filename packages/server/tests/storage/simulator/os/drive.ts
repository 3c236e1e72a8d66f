import { scheduler } from './scheduler.ts';

const STEP_MS = 100;

/**
 * Runs tasks and timers until a promise is settled. Throws if that takes longer than `withinMs`.
 *
 * @param isOver reports that the promise will never settle, because its process is dead. The value is then undefined.
 */
export async function drive<T>(
  promise: Promise<T>,
  withinMs: number,
  isOver = () => false,
): Promise<T> {
  let result: { value: T } | { error: unknown } | undefined;
  promise.then(
    (value) => {
      result = { value };
    },
    (error) => {
      result = { error };
    },
  );
  await scheduler.settle();
  for (let ms = 0; result === undefined && ms < withinMs; ms += STEP_MS) {
    if (isOver()) return undefined as T;
    await scheduler.advance(STEP_MS);
  }
  if (result === undefined) throw new Error('an operation does not end');
  if ('error' in result) throw result.error;
  return result.value;
}

/** Returns the text of an error with its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
