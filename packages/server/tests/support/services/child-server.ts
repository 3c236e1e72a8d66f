import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAllFiles, hasSeveralFiles } from '../after-all-files.ts';
import { freePort } from './free-port.ts';

const READY_WITHIN_MS = 120_000;

/** A server in a child process on 127.0.0.1. Disposing it stops the process. */
export interface ChildServer extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** Time from the start of the process to readiness, in milliseconds. */
  readonly readyAfter: number;
  output(): { readonly stdout: string; readonly stderr: string };
  /** Returns the resident memory in MiB. */
  rss(): number;
  /** Sends a signal, default SIGTERM, and waits until the process has exited. Returns its exit code, or `null` after a kill. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Command-line options for `node`. */
  readonly flags?: readonly string[];
  /** Captures the output of the process. Default `false`, because capturing slows down load tests. */
  readonly capture?: boolean;
  readonly port?: number;
}

/** Returns the inherited variables. The compile cache halves the processor time of a start, as it does in `start.sh`. */
export function inheritedVariables(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE };
}

/** Starts `file` with `GATEHOUSE_PORT` set to a free port and waits until `/readyz` answers 200. */
export async function startChild(file: string, options: ChildOptions = {}): Promise<ChildServer> {
  const port = options.port ?? (await freePort());
  const startedAt = performance.now();
  const out = options.capture === true ? 'pipe' : 'ignore';
  const child = spawn(process.execPath, [...(options.flags ?? []), file], {
    env: { ...inheritedVariables(), ...options.env, GATEHOUSE_PORT: String(port) },
    stdio: ['ignore', out, options.capture === true ? 'pipe' : 'inherit'],
  });
  killAtExit(child);
  // When `exit` is emitted, the pipe may still contain output.
  const exited = once(child, 'close');
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const url = `http://127.0.0.1:${port}`;
  await ready(child, url, stderr);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    setReference(child, 'ref');
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    process: child,
    port,
    url,
    readyAfter: performance.now() - startedAt,
    output: () => ({ stdout: stdout(), stderr: stderr() }),
    rss: () => residentMegabytes(child.pid),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
// If a test fails and leaves a process running, this process must not prevent the test file from ending. Benchmarks do not use a test runner.
if (process.argv[1]?.endsWith('.test.ts') || hasSeveralFiles())
  afterAllFiles(() => {
    for (const child of running) setReference(child, 'unref');
  });

function killAtExit(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Sets whether this process waits for a child process before it exits. */
function setReference(child: ChildProcess, how: 'ref' | 'unref'): void {
  for (const one of [child, child.stdout, child.stderr])
    if (one instanceof Socket || one === child) one[how]();
}

/** Collects the output of a stream. Returns a function that returns the text so far. */
export function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

async function ready(child: ChildProcess, url: string, stderr: () => string): Promise<void> {
  const began = performance.now();
  const deadline = began + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`the server exited with code ${child.exitCode}: ${stderr()}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    // Waits longer and longer, because on a busy machine the requests themselves would delay the start.
    await sleep(Math.max(10, (performance.now() - began) / 20));
  }
  child.kill('SIGKILL');
  throw new Error(`the server did not become ready: ${stderr()}`);
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
