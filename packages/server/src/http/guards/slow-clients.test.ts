import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createMemoryRateCounts } from '../../storage/single-process/index.ts';
import { createHttp } from '../create-http.ts';
import type { ClientLimits } from './slow-clients.ts';

const MIB = 1024 * 1024;
const PROMPT = 'GET /prompt HTTP/1.1\r\nhost: x\r\n\r\n';

async function serve(clientLimits: Partial<ClientLimits>) {
  const app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
    clientLimits,
  });
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(64 * 1024)) });
  app.get('/prompt', async () => 'prompt');
  app.get('/large', async () => Buffer.alloc(48 * MIB));
  app.get('/endless', (_request, reply) => reply.send(endless));
  app.get('/drops', (_request, reply) =>
    reply.send(
      Readable.from(
        (async function* () {
          for (let n = 0; n < 3; n++) {
            await sleep(300);
            yield 'x';
          }
        })(),
      ),
    ),
  );
  app.post('/body', { bodyLimit: 64 * MIB }, async () => 'taken');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  return {
    endless,
    connections: () => promisify(app.server.getConnections.bind(app.server))(),
    open: async (text: string): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await app.close();
    },
  };
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  await closed(socket);
  return text;
}

/** Waits until a connection is closed. `once` would reject if the server resets the connection. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

function body(length: number): string {
  return `POST /body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

test('a client that does not complete its headers receives 408 and is disconnected', async () => {
  await using server = await serve({ headersMs: 200, checkMs: 50 });
  const drip = await server.open('GET /prompt HTTP/1.1\r\n');
  const timer = setInterval(() => drip.write('x'), 20);
  const [response, silent, begun] = await Promise.all([
    readAll(drip),
    readAll(await server.open('')),
    readAll(await server.open('GET /pro')),
  ]);
  clearInterval(timer);
  for (const text of [response, silent, begun])
    assert.match(text, /^HTTP\/1\.1 408 .*http\.timeout/s);
});

test('a client that does not complete its body receives 408 and is disconnected', async () => {
  await using server = await serve({ headersMs: 300, requestMs: 300, checkMs: 50 });
  const socket = await server.open(body(1000));
  const timer = setInterval(() => socket.write('x'), 20);
  assert.match(await readAll(socket), /^HTTP\/1\.1 408 /);
  clearInterval(timer);
});

test('a connection that the client half-closes during the body is closed', async () => {
  await using server = await serve({});
  const socket = await server.open(body(1000));
  socket.end('half');
  assert.doesNotMatch(await readAll(socket), /taken/);
});

test('a client that half-closes the connection after its request still receives the response', async () => {
  await using server = await serve({});
  const socket = await server.open(PROMPT);
  socket.end();
  assert.match(await readAll(socket), /prompt$/);
});

test('a client that stops reading is disconnected', async () => {
  await using server = await serve({ unreadMs: 100 });
  const socket = await server.open('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n');
  socket.pause();
  await once(server.endless, 'close');
});

test('a client is not disconnected while the response is not ready', async () => {
  await using server = await serve({ unreadMs: 200 });
  const socket = await server.open('GET /drops HTTP/1.1\r\nhost: x\r\n\r\n');
  let text = '';
  for await (const piece of socket.setEncoding('utf8')) {
    text += piece;
    if (text.endsWith('\r\n0\r\n\r\n')) break;
  }
  assert.equal(text.match(/\r\nx\r\n/g)?.length, 3);
});

test('an idle connection is closed', async () => {
  await using server = await serve({ keepAliveMs: 100 });
  assert.match(await readAll(await server.open(PROMPT)), /prompt$/);
});

test('the oldest incomplete requests are aborted if all incomplete requests together exceed the memory limit', async () => {
  await using server = await serve({ heldBytes: 10 * MIB });
  const half = Buffer.alloc(4 * MIB, 0x20);
  const sockets: Socket[] = [];
  for (let number = 0; number < 4; number += 1) {
    const socket = await server.open(body(half.length + 1));
    socket.write(half);
    sockets.push(socket);
    await sleep(20);
  }
  const [first, second, third, fourth] = sockets;
  assert.ok(first && second && third && fourth);
  await Promise.all([closed(first), closed(second)]);
  third.end(' ');
  fourth.end(' ');
  for (const text of await Promise.all([readAll(third), readAll(fourth)]))
    assert.match(text, /taken$/);
});

test('the oldest unread responses are aborted if all unread responses together exceed the memory limit', async () => {
  await using server = await serve({ heldBytes: 64 * MIB });
  const ask = async () => {
    const socket = await server.open('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'readable');
    return socket;
  };
  const first = await ask();
  await ask();
  // A client that does not read does not notice the disconnect.
  while ((await server.connections()) > 1) await sleep(10);
  await closed(first.resume());
  assert.ok(first.bytesRead < 48 * MIB);
});
