import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { createHttp } from './create-http.ts';
import { sendStream } from './send-stream.ts';

async function serve(stream: Readable, patienceMs: number) {
  const app = await createHttp({ log: pino({ level: 'silent' }), trustedProxies: [] });
  app.get('/', (_request, reply) => sendStream(reply, stream, patienceMs));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await app.close();
    },
  };
}

test('a reader that stops reading is hung up on', async () => {
  const block = Buffer.alloc(64 * 1024);
  const endless = new Readable({ read: () => void endless.push(block) });
  await using server = await serve(endless, 100);
  server.socket.pause();
  await once(endless, 'close');
});

test('a reader that has nothing to read yet is waited for', async () => {
  const slow = Readable.from(
    (async function* () {
      for (let n = 0; n < 3; n++) {
        await new Promise((resolve) => setTimeout(resolve, 80));
        yield 'x';
      }
    })(),
  );
  await using server = await serve(slow, 20);
  let text = '';
  for await (const piece of server.socket.setEncoding('utf8')) {
    text += piece;
    if (text.endsWith('\r\n0\r\n\r\n')) break;
  }
  assert.equal(text.match(/\r\nx\r\n/g)?.length, 3);
});
