import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../services/free-port.ts';
import { until } from '../until.ts';

export const CONFIGURATION = join(import.meta.dirname, '../../../../../deploy/haproxy.cfg');

/** Debian installs the program in a directory that is not in the `PATH` of ordinary users. */
export const HAPROXY = ['haproxy', '/usr/sbin/haproxy'].find(
  (program) => spawnSync(program, ['-v']).status === 0,
);

export const NO_HAPROXY: string | false = HAPROXY === undefined ? 'haproxy is missing' : false;

export interface Haproxy extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** Returns the number of healthy replicas. */
  up(): Promise<number>;
  /** Sends new requests only to this replica. Requests in flight continue. */
  routeTo(index: number): Promise<void>;
}

export interface HaproxyOptions {
  /** Retries failed requests on other replicas. Default `true`. */
  readonly retries?: boolean;
}

export async function startHaproxy(
  ports: readonly number[],
  { retries = true }: HaproxyOptions = {},
): Promise<Haproxy> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-haproxy-'));
  const port = await freePort();
  const socket = join(directory, 'admin.sock');
  const file = join(directory, 'haproxy.cfg');
  const published = readFileSync(CONFIGURATION, 'utf8');
  const configuration = retries ? published : withoutRetries(published);
  writeFileSync(file, configure(configuration, { port, ports, socket }));
  const child = spawn(HAPROXY ?? 'haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const proxy: Haproxy = {
    process: child,
    port,
    url: `http://127.0.0.1:${port}`,
    up: () => serversUp(socket),
    routeTo: async (index) => {
      for (const at of ports.keys()) {
        const state = at === index ? 'ready' : 'drain';
        await command(socket, `set server replicas/replica-${at + 1} state ${state}`);
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await until('all replicas are healthy', async () => (await proxy.up()) === ports.length);
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw error;
  }
  return proxy;
}

interface Places {
  readonly port: number;
  readonly ports: readonly number[];
  readonly socket: string;
}

function withoutRetries(configuration: string): string {
  return configuration
    .replace(/^ {4}(option redispatch|retry-on) .*\n/gm, '')
    .replace(/^ {4}retries \d+$/m, '    retries 0');
}

function configure(configuration: string, { port, ports, socket }: Places): string {
  const servers = ports.map((own, index) => `    server replica-${index + 1} 127.0.0.1:${own}`);
  return configuration
    .replace(/^global$/m, `global\n    stats socket ${socket} level admin`)
    .replace(/^ {4}bind .*$/m, `    bind 127.0.0.1:${port}`)
    .replace(/^ {4}server [\s\S]*$/m, `${servers.join('\n')}\n`);
}

/**
 * Counts healthy servers. Column 2 of the statistics contains the name of the server, and column 18 its state.
 * https://docs.haproxy.org/2.6/management.html#9.1
 */
async function serversUp(path: string): Promise<number> {
  const output = await command(path, 'show stat').catch(() => '');
  const rows = output.split('\n').map((line) => line.split(','));
  return rows.filter(([, name, ...rest]) => name?.startsWith('replica-') && rest[15] === 'UP')
    .length;
}

/** Sends a command to the runtime API of haproxy, and returns the output. */
async function command(path: string, line: string): Promise<string> {
  const socket = connect(path);
  try {
    socket.write(`${line}\n`);
    return await text(socket);
  } finally {
    socket.destroy();
  }
}
