import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../../server/tests/support/until.ts';

/** The reason why tests cannot use a terminal, or `false`. */
export const NO_TERMINAL: string | false =
  spawnSync('script', ['--version']).error !== undefined && 'script is not installed';

/** A program that runs in a pseudo-terminal. */
export interface Terminal extends AsyncDisposable {
  /** Types keys after the terminal shows a text that it did not show before. */
  type(keys: string, after: string): Promise<void>;
  /** Waits until the program ends. Returns its exit code and the content of the terminal. */
  end(): Promise<{ readonly code: number | null; readonly shown: string }>;
}

/** Runs a shell command in a pseudo-terminal, with only the given variables. */
export function openTerminal(command: string, env: Readonly<Record<string, string>>): Terminal {
  const child: ChildProcess = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let shown = '';
  let read = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  // The program may end before it has read all keys.
  child.stdin?.on('error', () => {});
  return {
    async type(keys, after) {
      await until(`the terminal shows ${after}`, () => shown.includes(after, read));
      read = shown.indexOf(after, read) + after.length;
      child.stdin?.write(keys);
    },
    async end() {
      await ended;
      return { code: child.exitCode, shown };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
