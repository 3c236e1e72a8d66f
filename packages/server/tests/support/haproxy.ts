import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from './child-server.ts';
import { until } from './until.ts';

/** The configuration that we give to operators. */
export const CONFIGURATION = join(import.meta.dirname, '../../../../deploy/haproxy.cfg');

/** Debian has it where only root looks for programs. */
export const HAPROXY = ['haproxy', '/usr/sbin/haproxy'].find(
  (program) => spawnSync(program, ['-v']).status === 0,
);

/** Why tests that need haproxy are skipped on this machine; false when they are not. */
export const NO_HAPROXY: string | false = HAPROXY === undefined ? 'haproxy is missing' : false;

/** A load balancer of the test's own, configured by `deploy/haproxy.cfg`; disposing it ends it. */
export interface Haproxy extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** How many replicas it sends requests to. */
  up(): Promise<number>;
}

export interface HaproxyOptions {
  /** Whether it sends a request again that it could not send, or that was not answered. */
  readonly repeats?: boolean;
}

/** Starts haproxy in front of these ports of 127.0.0.1 and waits until it sends requests to all of them. */
export async function startHaproxy(
  ports: readonly number[],
  { repeats = true }: HaproxyOptions = {},
): Promise<Haproxy> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-haproxy-'));
  const port = await freePort();
  const socket = join(directory, 'admin.sock');
  const file = join(directory, 'haproxy.cfg');
  const given = readFileSync(CONFIGURATION, 'utf8');
  const configuration = repeats ? given : withoutRepeats(given);
  writeFileSync(file, configure(configuration, { port, ports, socket }));
  const child = spawn(HAPROXY ?? 'haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const proxy: Haproxy = {
    process: child,
    port,
    url: `http://127.0.0.1:${port}`,
    up: () => serversUp(socket),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await until('all replicas are up', async () => (await proxy.up()) === ports.length);
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

function withoutRepeats(configuration: string): string {
  return configuration
    .replace(/^ {4}(option redispatch|retry-on) .*\n/gm, '')
    .replace(/^ {4}retries \d+$/m, '    retries 0');
}

/** The same configuration with other addresses, and a socket to ask it by. */
function configure(configuration: string, { port, ports, socket }: Places): string {
  const servers = ports.map((own, index) => `    server replica-${index + 1} 127.0.0.1:${own}`);
  return configuration
    .replace(/^global$/m, `global\n    stats socket ${socket}`)
    .replace(/^ {4}bind .*$/m, `    bind 127.0.0.1:${port}`)
    .replace(/^ {4}server [\s\S]*$/m, `${servers.join('\n')}\n`);
}

/** https://docs.haproxy.org/2.6/management.html#9.1: the second column is the server, the eighteenth its state. */
async function serversUp(path: string): Promise<number> {
  const socket = connect(path);
  try {
    socket.write('show stat\n');
    const rows = (await text(socket)).split('\n').map((line) => line.split(','));
    return rows.filter(([, name, ...rest]) => name?.startsWith('replica-') && rest[15] === 'UP')
      .length;
  } catch {
    return 0;
  } finally {
    socket.destroy();
  }
}
