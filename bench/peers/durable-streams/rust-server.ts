import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../packages/server/tests/support/services/free-port.ts';

const PROGRAM = process.env['DURABLE_STREAMS_SERVER'] ?? 'durable-streams-server';

/** The reason why the server cannot run, or `false`. */
export const NO_RUST_SERVER: string | false =
  spawnSync(PROGRAM, ['--help']).error === undefined
    ? false
    : 'durable-streams-server is missing (cargo install durable-streams --version 0.1.5 --locked; DURABLE_STREAMS_SERVER can name its path)';

/** Starts the Durable Streams server in Rust with its default settings. Disposing it stops the server. */
export async function startRustServer(
  directory: string,
): Promise<AsyncDisposable & { readonly port: number }> {
  const port = await freePort();
  const child = spawn(PROGRAM, ['--port', String(port), '--data-dir', directory], {
    stdio: 'ignore',
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null))) {
    if (child.exitCode !== null)
      throw new Error(`durable-streams-server exited with code ${child.exitCode}`);
    await sleep(10);
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', kill);
      const exited = once(child, 'exit');
      kill();
      await exited;
    },
  };
}
