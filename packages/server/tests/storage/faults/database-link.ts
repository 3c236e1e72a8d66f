import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../support/child-server.ts';
import { HAPROXY } from '../../support/haproxy.ts';
import { until } from '../../support/until.ts';

/** The way of one replica to the database: it can swallow all that is sent, as a network does, or lead elsewhere. */
export interface DatabaseLink extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing arrives, and nobody is told. */
  cut(): void;
  mend(): void;
  /** New connections lead to another port of 127.0.0.1. */
  lead(port: number): Promise<void>;
}

export async function startDatabaseLink(target: number): Promise<DatabaseLink> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-link-'));
  const [port, socket] = [await freePort(), join(directory, 'admin.sock')];
  writeFileSync(join(directory, 'haproxy.cfg'), configuration(port, target, socket));
  const child: ChildProcess = spawn(
    HAPROXY ?? 'haproxy',
    ['-db', '-f', join(directory, 'haproxy.cfg')],
    {
      stdio: 'ignore',
    },
  );
  const exited = once(child, 'exit');
  await until(
    'the way to the database is open',
    async () => (await tell(socket, 'show info')) !== '',
  );
  return {
    port,
    cut: () => void child.kill('SIGSTOP'),
    mend: () => void child.kill('SIGCONT'),
    lead: async (to) => {
      await tell(socket, `set server database/server addr 127.0.0.1 port ${to}`);
      await tell(socket, 'shutdown sessions server database/server');
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function configuration(port: number, target: number, socket: string): string {
  return `global
    stats socket ${socket} level admin
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen database
    bind 127.0.0.1:${port}
    server server 127.0.0.1:${target}
`;
}

async function tell(path: string, command: string): Promise<string> {
  const socket = connect(path);
  try {
    socket.write(`${command}\n`);
    return await text(socket);
  } catch {
    return '';
  } finally {
    socket.destroy();
  }
}
