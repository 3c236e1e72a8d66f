import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ListenersOptions, ListenersResult } from './read-listeners.ts';

export interface Listening {
  readonly result: Promise<ListenersResult>;
}

/** Runs listeners in a separate process, so that they share no thread with the measured service. Resolves when all streams are open. */
export async function spawnListeners(options: ListenersOptions): Promise<Listening> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(options));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the listeners ended without a result');
    return value;
  };
  await line();
  return { result: line().then((text) => JSON.parse(text) as ListenersResult) };
}
