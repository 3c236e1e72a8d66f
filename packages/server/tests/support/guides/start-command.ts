import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './guide.ts';

export interface StartedCommand {
  /** Returns the output so far. */
  readonly shown: () => string;
  /** Interrupts all processes of the command, as Ctrl-C does, and waits until they end. */
  readonly pressCtrlC: () => Promise<void>;
}

/** Starts a command of a document in its own process group, as an interactive shell does. */
export function startCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  folder = ROOT,
): StartedCommand {
  const child = spawn('bash', ['-euc', command], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const ended = once(child, 'close');
  return { shown: () => shown, pressCtrlC: () => interrupt(child, ended) };
}

async function interrupt(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
  await ended;
}

/** Reports whether a service can serve requests. */
export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
