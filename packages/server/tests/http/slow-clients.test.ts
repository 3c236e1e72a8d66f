import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ingest, makeEvents } from '../support/events/events.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const MIB = 1024 * 1024;
const { client, key, service, ...shop } = await startChildWithSpace({
  env: { GATEHOUSE_CONNECTIONS_HELD_BYTES: String(32 * MIB) },
});
after(() => shop[Symbol.asyncDispose]());

async function open(text: string): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function connections(): Promise<number> {
  const { text } = await client('/metrics');
  const [, count] = /^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)/m.exec(text) ?? [];
  return Number(count);
}

async function isServed(): Promise<void> {
  await ingest(client, { as: key, body: { events: makeEvents(3) } });
}

test('clients that send headers slowly do not delay other clients', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 500 }, () => open('POST /events HTTP/1.1\r\nHost: test\r\n')),
  );
  for (let turn = 0; turn < 5; turn += 1) {
    for (const socket of sockets) socket.write('x');
    await isServed();
  }
  for (const socket of sockets) socket.destroy();
});

test('clients that never finish a large body are disconnected and do not delay other clients', async () => {
  const before = service.rss();
  const head = `POST /events HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: ${8 * MIB}\r\n\r\n`;
  const part = Buffer.alloc(7 * MIB, 0x20);
  let disconnected = 0;
  const sockets: Socket[] = [];
  for (let number = 0; number < 40; number += 1) {
    const socket = await open(head);
    socket.once('close', () => {
      disconnected += 1;
    });
    socket.write(part);
    sockets.push(socket);
    await sleep(50);
  }
  for (let tries = 0; disconnected < 35 && tries < 2000; tries += 1) await sleep(10);
  assert.ok(disconnected >= 35, `only ${disconnected} clients were disconnected`);
  await isServed();
  assert.ok(service.rss() - before < 250, `${before} MB, then ${service.rss()} MB`);
  for (const socket of sockets) socket.destroy();
});

test('clients that do not read their responses are disconnected and do not delay other clients', async () => {
  for (let batch = 0; batch < 5; batch += 1)
    await ingest(client, { as: key, body: { events: makeEvents(3, { data: 'x'.repeat(MIB) }) } });
  const request = `GET /events?limit=200 HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const before = await connections();
  const sockets: Socket[] = [];
  // Each client requests two responses of 15 MiB, which exceed all network buffers.
  // The service would reject further requests with short responses.
  for (let number = 0; number < 12; number += 1) sockets.push(await open(request.repeat(2)));
  let left = 12;
  // These clients do not read, so they cannot detect that the server disconnected them.
  for (let tries = 0; left > 6 && tries < 1000; tries += 1) {
    await sleep(20);
    left = (await connections()) - before;
  }
  assert.ok(left <= 6, `${left} connections are still open`);
  await isServed();
  for (const socket of sockets) socket.destroy();
});
