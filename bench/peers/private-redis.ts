import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const redisIsMissing = spawnSync('redis-server', ['--version']).status !== 0;

/** Starts a Redis server that syncs each command to disk before it responds. Disposing it stops the server and deletes its data. */
export async function startRedis(): Promise<AsyncDisposable & { readonly socket: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
  const socket = join(folder, 'redis.sock');
  const settings = {
    port: '0',
    unixsocket: socket,
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  };
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: 'ignore' },
  );
  while (!existsSync(socket)) {
    if (child.exitCode !== null) throw new Error(`redis-server exited with code ${child.exitCode}`);
    await sleep(10);
  }
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
