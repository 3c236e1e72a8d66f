import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookSender, type WebhookSenderOptions } from './index.ts';
import type { WebhookMessage } from './webhook-sender.ts';

const MESSAGE: WebhookMessage = {
  headers: { 'content-type': 'application/cloudevents+json', 'webhook-id': 'msg_1' },
  body: Buffer.from('{"id":"1"}'),
};
const LOCAL = ['127.0.0.0/8', '::1'];

function senderTo(options: Partial<WebhookSenderOptions> = {}) {
  return createWebhookSender({ allowed: LOCAL, userAgent: 'test', ...options });
}

async function serve(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function postOnce(url: string, options: Partial<WebhookSenderOptions> = {}) {
  const target = senderTo(options).open(url);
  const outcome = await target.post(MESSAGE);
  target.close();
  return outcome;
}

test('a message arrives as it was given, and the answer is what was answered', async () => {
  let heard: { method?: string; url?: string; agent?: string; body: string } = { body: '' };
  const { port } = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '' } = request;
    heard = { method, url, agent: String(request.headers['user-agent']), body };
    response.writeHead(429, { 'retry-after': '7' }).end('later');
  });
  const outcome = await postOnce(`http://127.0.0.1:${port}/a/b?c=%20d`);
  assert.deepEqual(outcome, { answered: true, status: 429, retryAfter: '7' });
  assert.deepEqual(heard, {
    method: 'POST',
    url: '/a/b?c=%20d',
    agent: 'test',
    body: '{"id":"1"}',
  });
});

test('a redirect is not followed, nowhere', async () => {
  let asked = 0;
  const { port } = await serve((_, response) => {
    asked += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const outcome = await postOnce(`http://127.0.0.1:${port}/`);
  assert.deepEqual(outcome, { answered: true, status: 302, retryAfter: null });
  assert.equal(asked, 1);
});

test('connections are used again', async () => {
  const sockets = new Set<Socket>();
  const { port } = await serve((request, response) => {
    sockets.add(request.socket);
    request.resume().once('end', () => response.end('x'.repeat(1000)));
  });
  const target = senderTo().open(`http://127.0.0.1:${port}/`);
  for (let times = 0; times < 20; times += 1)
    assert.equal((await target.post(MESSAGE)).answered, true);
  target.close();
  assert.ok(sockets.size <= 2, `${sockets.size} connections`);
});

test('a host name that moves is followed, since connections are not used for good', async () => {
  const asked = [0, 0];
  const { port } = await serve((_, response) => {
    asked[0] = (asked[0] ?? 0) + 1;
    response.end();
  });
  const other = createServer((_, response) => {
    asked[1] = (asked[1] ?? 0) + 1;
    response.end();
  }).listen(port, '127.0.0.2');
  await once(other, 'listening');
  after(() => other.close());
  let address = '127.0.0.1';
  const resolve = async () => [{ address, family: 4 }];
  const limits = { connectionMs: 50 };
  const target = senderTo({ resolve, limits }).open(`http://a.example:${port}/`);
  await target.post(MESSAGE);
  address = '127.0.0.2';
  for (let tries = 0; asked[1] === 0 && tries < 1000; tries += 1) {
    assert.equal((await target.post(MESSAGE)).answered, true);
    await sleep(5);
  }
  target.close();
  assert.ok((asked[0] ?? 0) >= 1 && asked[1] === 1);
});

test('an answer that does not come in time is none, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const { port } = await serve((request) => {
    request.socket.once('close', () => closed.resolve());
  });
  const outcome = await postOnce(`http://127.0.0.1:${port}/`, { limits: { attemptMs: 100 } });
  assert.deepEqual(outcome, { answered: false, problem: 'no answer within 0.1 seconds' });
  await closed.promise;
});

test('an answer whose body never ends, or is too long, is its status', async () => {
  for (const isEndless of [true, false]) {
    const closed = Promise.withResolvers<void>();
    const { port } = await serve((request, response) => {
      request.socket.once('close', () => closed.resolve());
      response.writeHead(200);
      if (isEndless) response.write('x');
      else response.end(Buffer.alloc(10_000_000));
    });
    const outcome = await postOnce(`http://127.0.0.1:${port}/`, { limits: { attemptMs: 200 } });
    assert.deepEqual(outcome, { answered: true, status: 200, retryAfter: null });
    await closed.promise;
  }
});

test('a connection that its target closes when it is used again is made anew', async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      // One that keeps a connection and then does not want it any more.
      if (connections === 1 && requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 204 No Content\r\nkeep-alive: timeout=60\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const target = senderTo().open(`http://127.0.0.1:${port}/`);
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(await target.post(MESSAGE), { answered: true, status: 204, retryAfter: null });
  target.close();
  assert.equal(connections, 2);
});

test('what keeps a request from an answer is said in words that show no address', async () => {
  const { port: closedPort, server } = await serve(() => {});
  server.close();
  for (const [url, options, problem] of [
    [`http://127.0.0.1:${closedPort}/`, {}, 'the connection was refused'],
    ['http://nowhere.invalid/', {}, 'its host name has no address'],
    [
      'http://inner.example/',
      { resolve: async () => [{ address: '10.0.0.7', family: 4 }] },
      'its address is not public',
    ],
  ] as const)
    assert.deepEqual(await postOnce(url, options), { answered: false, problem });
});

test('an answer that is no HTTP is said to be none', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end('SSH-2.0-OpenSSH\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  assert.deepEqual(await postOnce(`http://127.0.0.1:${port}/`), {
    answered: false,
    problem: 'it answered something that is no HTTP',
  });
});

test('a private address is never connected to, however it is written or comes about', async () => {
  let asked = 0;
  const { port } = await serve((_, response) => {
    asked += 1;
    response.end();
  });
  const refused = { answered: false, problem: 'its address is not public' };
  const to =
    (address: string, family = 4) =>
    async () => [{ address, family }];
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
    '[::]',
  ])
    assert.deepEqual(await postOnce(`http://${host}:${port}/`, { allowed: [] }), refused, host);
  for (const resolve of [to('127.0.0.1'), to('::1', 6), to('::ffff:127.0.0.1', 6), to('0.0.0.0')])
    assert.deepEqual(
      await postOnce(`http://a.example:${port}/`, { allowed: [], resolve }),
      refused,
    );
  assert.deepEqual(await postOnce(`http://localhost:${port}/`, { allowed: [] }), refused);
  assert.equal(asked, 0);
});

test('a name that answers something else the second time is judged a second time', async () => {
  let asked = 0;
  const { port } = await serve((_, response) => {
    asked += 1;
    // So that the next request needs another connection, and another lookup.
    response.writeHead(200, { connection: 'close' }).end();
  });
  // Allowed at first, and then an address that leads to the same server but was not allowed.
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
  let lookups = 0;
  const resolve = async () => [{ address: answers[lookups++] ?? '', family: 4 }];
  const target = senderTo({ allowed: ['127.0.0.1'], resolve }).open(`http://a.example:${port}/`);
  assert.equal((await target.post(MESSAGE)).answered, true);
  await sleep(20);
  const refused = { answered: false, problem: 'its address is not public' };
  assert.deepEqual(await target.post(MESSAGE), refused);
  target.close();
  assert.deepEqual([asked, lookups], [1, 2]);
});

test('of several addresses only those that may be are connected to', async () => {
  const { port } = await serve((_, response) => response.end());
  const resolve = async () => [
    { address: '127.0.0.2', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  const inner: Socket[] = [];
  const trap = createTcpServer((socket) => inner.push(socket)).listen(port, '127.0.0.2');
  await once(trap, 'listening');
  after(() => trap.close());
  const outcome = await postOnce(`http://a.example:${port}/`, { allowed: ['127.0.0.1'], resolve });
  assert.equal(outcome.answered, true);
  assert.equal(inner.length, 0);
});

test('a URL is refused for what can be seen of it', () => {
  const { refusalOf } = senderTo({ allowed: ['10.0.0.1'] });
  for (const url of [
    'https://a.example/',
    'http://a.example:81/?q#'.slice(0, -1),
    'http://10.0.0.1/',
  ])
    assert.equal(refusalOf(url), null, url);
  for (const [url, words] of [
    ['a.example', /absolute/],
    ['ftp://a.example/', /absolute/],
    ['http:///a', /absolute/],
    ['http:\\\\a.example', /absolute/],
    ['https://a@b.example/', /credentials/],
    ['https://b.example/#', /fragment/],
    ['http://10.0.0.2/', /public/],
    ['http://[::ffff:a00:2]/', /public/],
  ] as const)
    assert.match(refusalOf(url) ?? '', words, url);
});

test('closing breaks off what is under way', async () => {
  const begun = Promise.withResolvers<Socket>();
  const { port } = await serve((request) => begun.resolve(request.socket));
  const target = senderTo().open(`http://127.0.0.1:${port}/`);
  const posting = target.post(MESSAGE);
  const socket = await begun.promise;
  const closed = once(socket, 'close');
  target.close();
  assert.equal((await posting).answered, false);
  await closed;
});

test('a target whose certificate nobody known has signed is not sent to, and one that is trusted is', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  after(() => rmSync(directory, { recursive: true }));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=target.example'],
    ...['-addext', 'subjectAltName=DNS:target.example'],
  ]);
  if (status !== 0) return context.skip('openssl is not on this machine');
  let asked = 0;
  const server = createHttpsServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_, response) => {
      asked += 1;
      response.end();
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  assert.deepEqual(await postOnce(`https://target.example:${port}/`, { resolve }), {
    answered: false,
    problem: 'its certificate is signed by itself',
  });
  assert.equal(asked, 0);
  const script = `
    import { createWebhookSender } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const sender = createWebhookSender({ allowed: ['127.0.0.1'], userAgent: 'test', resolve });
    for (const host of ['target.example', 'other.example']) {
      const target = sender.open('https://' + host + ':${port}/');
      console.log(JSON.stringify(await target.post({ headers: {}, body: Buffer.from('{}') })));
      target.close();
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: Buffer[] = [];
  for await (const chunk of child.stdout) printed.push(chunk as Buffer);
  assert.deepEqual(
    Buffer.concat(printed)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { answered: true, status: 200, retryAfter: null },
      { answered: false, problem: 'its certificate is for another host' },
    ],
  );
});
