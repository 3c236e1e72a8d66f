import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
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
  killAtExit(child);
  // Not `exit`: what it printed last may still be in the pipe then.
  const exited = once(child, 'close');
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const url = `http://127.0.0.1:${port}`;
  await ready(child, url, stderr);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
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

/** Kills a process that a test left running, so that nothing outlives a failure. */
function killAtExit(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
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
