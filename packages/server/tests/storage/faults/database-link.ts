import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HAPROXY } from '../../support/http/haproxy.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../../support/until.ts';

/** A proxy between one replica and the database. It can drop traffic silently or redirect it to another server. */
export interface DatabaseLink extends AsyncDisposable {
  readonly port: number;
  /** Stops forwarding without closing connections. */
  cut(): void;
  repair(): void;
  /** Closes all connections and forwards new connections to another port of 127.0.0.1. */
  redirect(port: number): Promise<void>;
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
    'the link to the database is ready',
    async () => (await sendCommand(socket, 'show info')) !== '',
  );
  return {
    port,
    cut: () => void child.kill('SIGSTOP'),
    repair: () => void child.kill('SIGCONT'),
    redirect: async (to) => {
      await sendCommand(socket, `set server database/server addr 127.0.0.1 port ${to}`);
      await sendCommand(socket, 'shutdown sessions server database/server');
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

async function sendCommand(path: string, command: string): Promise<string> {
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
