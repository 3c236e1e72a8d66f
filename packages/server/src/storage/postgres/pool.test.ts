import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import { newEmptyDatabase } from './database.suite.ts';
import { openPool } from './pool.ts';

/** Returns a message of PostgreSQL's protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function message(type: string, body: string): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return type + length.toString('latin1') + body;
}

const AUTHENTICATED = message('R', '\0\0\0\0');
const READY = message('Z', 'I');
const SHUTDOWN = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');

test('a server that ends a connection in the packet in which the connection becomes ready fails only the statement', async () => {
  await using server = createServer((socket) => {
    socket.on('error', () => {});
    // The first packet starts the session.
    socket.once('data', () => socket.end(AUTHENTICATED + READY + SHUTDOWN, 'latin1'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await using pool = openPool({
    url: `postgres://gatehouse@127.0.0.1:${port}/events`,
    connections: 1,
    onError: () => {},
  });
  await assert.rejects(pool.run('select 1'), StorageUnavailable);
});

test('the error of an idle connection does not contain the connection, whose members are not for the log', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newEmptyDatabase();
  const failed = Promise.withResolvers<unknown>();
  await using pool = openPool({ url, connections: 1, onError: failed.resolve });
  await using others = openPool({ url, connections: 1, onError: () => {} });
  const { rows } = await pool.run('select pg_backend_pid() as pid');
  await others.run('select pg_terminate_backend($1::int)', [rows[0]?.['pid']]);
  const error = await failed.promise;
  assert.ok(error instanceof Error);
  assert.match(error.message, /terminating connection/);
  const objects = Object.entries(error).filter(([, value]) => typeof value === 'object');
  assert.deepEqual(
    objects.map(([name]) => name),
    [],
  );
});

test('a statement that exceeds the timeout does not stay on the server', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newEmptyDatabase();
  await using pool = openPool({ url, connections: 1, answerWithinMs: 500, onError: () => {} });
  await using others = openPool({ url, connections: 1, onError: () => {} });
  const running = async () =>
    (await others.run("select 1 from pg_stat_activity where query = 'select pg_sleep(60)'")).count;
  const slow = assert.rejects(pool.run('select pg_sleep(60)'), StorageUnavailable);
  while ((await running()) === 0) await sleep(10);
  await slow;
  for (let tries = 0; (await running()) > 0; tries += 1) {
    assert.ok(tries < 1000, 'the statement is still running');
    await sleep(10);
  }
});
