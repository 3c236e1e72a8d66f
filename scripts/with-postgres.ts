/**
 * Starts a private PostgreSQL server, runs a command and exits with its exit code:
 *
 *     node scripts/with-postgres.ts node --test packages/server/tests/ingest/send-events.test.ts
 *
 * Use `--durable` before the command to sync commits to disk, which is required for benchmarks.
 *
 * The command receives the address of the server in `GATEHOUSE_TEST_POSTGRES`. If `GATEHOUSE_TEST_BACKEND=postgres` is
 * set, tests start services that use this server. In that case the command is skipped if PostgreSQL is not installed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { postgresIsMissing, startPostgres } from '../packages/filter/tests/postgres.ts';

const given = process.argv.slice(2);
const durable = given[0] === '--durable';
const [command, ...args] = durable ? given.slice(1) : given;
if (command === undefined) throw new Error('with-postgres.ts [--durable] <command> [<argument> …]');
const onPostgres = process.env['GATEHOUSE_TEST_BACKEND'] === 'postgres';
if (postgresIsMissing === undefined) {
  await using server = await startPostgres(durable);
  process.exitCode = await run({ GATEHOUSE_TEST_POSTGRES: server.connection.host });
} else if (onPostgres) console.log(`!!! SKIPPED: ${postgresIsMissing}`);
else process.exitCode = await run({});

async function run(env: Record<string, string>): Promise<number> {
  const child = spawn(command ?? '', args, { stdio: 'inherit', env: { ...process.env, ...env } });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
