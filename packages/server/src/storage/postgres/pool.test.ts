import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/index.ts';
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
