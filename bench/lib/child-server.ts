import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 30_000;

/** A server in a process of its own, on 127.0.0.1; disposing it stops it. */
export interface ChildServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** From the start of the process to the first answer, milliseconds. */
  readonly readyAfter: number;
  /** Resident memory, MB. */
  rss(): number;
}

/** Starts `file` with `GATEHOUSE_PORT` set to a free port and waits until `/readyz` answers 200. */
export async function startChild(
  file: string,
  env: Record<string, string> = {},
): Promise<ChildServer> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'] ?? '', ...env, GATEHOUSE_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await ready(child, url);
  return {
    port,
    url,
    readyAfter: performance.now() - begun,
    rss: () => residentMegabytes(child.pid),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function ready(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(5);
  }
  child.kill('SIGKILL');
  throw new Error('the server did not get ready');
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
