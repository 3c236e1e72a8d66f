import { after } from 'node:test';

const KEY = Symbol.for('gatehouse.after-all-files');
type Task = () => unknown;
const shared = globalThis as { [KEY]?: Task[] };

/** Collects the tasks of `afterAllFiles` from now on. Returns the function that runs them. */
export function runAfterAllFiles(): () => Promise<void> {
  const tasks: Task[] = [];
  shared[KEY] = tasks;
  return async () => {
    for (const task of tasks.toReversed()) await task();
  };
}

/** Reports whether this process runs several test files (`several-files.ts`). */
export function hasSeveralFiles(): boolean {
  return shared[KEY] !== undefined;
}

/** Runs a task after all test files of this process. */
export function afterAllFiles(task: Task): void {
  if (shared[KEY] === undefined) after(async () => void (await task()));
  else shared[KEY].push(task);
}
