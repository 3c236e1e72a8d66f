import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Child {
  readonly lines: AsyncIterableIterator<string>;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
}

export function startChild(program: string, args: readonly string[]): Child {
  const path = new URL(program, import.meta.url).pathname;
  const child: ChildProcess & { stdout: Readable } = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function killedAfterFirstLine(
  program: string,
  args: readonly string[],
): Promise<string | undefined> {
  const child = startChild(program, args);
  const { value } = await child.lines.next();
  await child.kill();
  return value;
}
