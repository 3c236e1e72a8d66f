import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What `npm start` runs. */
export const MAIN = join(import.meta.dirname, '../../src/main.ts');

export interface Ended {
  /** Null when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that is not expected to get ready, or not waited for. */
export interface RunningService {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the product in a process of its own with nothing but these variables. */
export function runService(env: Readonly<Record<string, string>>): RunningService {
  return run([MAIN], env);
}

/** Runs `npm run gatehouse -- …` in a process of its own with nothing but these variables. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningService {
  return run([join(import.meta.dirname, '../../src/start/commands/main.ts'), ...args], env);
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): RunningService {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { process: child, ended: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  await once(child, 'close');
  return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
}

function textOf(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
