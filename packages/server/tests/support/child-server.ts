import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 120_000;

/** A server in a process of its own, on 127.0.0.1; disposing it stops it. */
export interface ChildServer extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** From the start of the process to the first answer, milliseconds. */
  readonly readyAfter: number;
  /** What it has printed so far, when that is captured. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resident memory, MB. */
  rss(): number;
  /** Sends a signal and waits until the process has ended; gives its exit code, null after a kill. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps what the process prints; a load would pay for that, so it is off by default. */
  readonly capture?: boolean;
  readonly port?: number;
}

/** Starts `file` with `GATEHOUSE_PORT` set to a free port and waits until `/readyz` answers 200. */
export async function startChild(file: string, options: ChildOptions = {}): Promise<ChildServer> {
  const port = options.port ?? (await freePort());
  const begun = performance.now();
  const out = options.capture === true ? 'pipe' : 'ignore';
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'] ?? '', ...options.env, GATEHOUSE_PORT: String(port) },
    stdio: ['ignore', out, options.capture === true ? 'pipe' : 'inherit'],
  });
  leaveAtEnd(child);
  // Not `exit`: what it printed last may still be in the pipe then.
  const exited = once(child, 'close');
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const url = `http://127.0.0.1:${port}`;
  await ready(child, url, stderr);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    hold(child, 'ref');
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    process: child,
    port,
    url,
    readyAfter: performance.now() - begun,
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
// A process that a failed test left running must not keep the file from ending. Benchmarks are no tests.
if (process.argv[1]?.endsWith('.test.ts'))
  after(() => {
    for (const child of running) hold(child, 'unref');
  });

/** Has a process killed when this one ends, unless it has ended before. */
function leaveAtEnd(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Makes this process wait for another one, or end without it. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  for (const one of [child, child.stdout, child.stderr])
    if (one instanceof Socket || one === child) one[how]();
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

async function ready(child: ChildProcess, url: string, stderr: () => string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`the server ended with code ${child.exitCode}: ${stderr()}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await sleep(5);
  }
  child.kill('SIGKILL');
  throw new Error(`the server did not get ready: ${stderr()}`);
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** A port that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
