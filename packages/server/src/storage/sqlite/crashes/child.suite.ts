import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Child {
  /** Its lines of output. */
  readonly lines: AsyncIterableIterator<string>;
  /** SIGKILL: it cannot do anything more. */
  kill(): Promise<void>;
}

/** Runs a program of this folder in a process of its own. */
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

/** The first line of a program, which is killed as soon as it has printed it. */
export async function killedAfterFirstLine(
  program: string,
  args: readonly string[],
): Promise<string | undefined> {
  const child = startChild(program, args);
  const { value } = await child.lines.next();
  await child.kill();
  return value;
}
