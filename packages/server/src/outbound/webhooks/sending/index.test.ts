import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_OPENSSL } from '../../../../tests/support/http/certificate.ts';
import { MESSAGE, postOnce, SPACE, senderTo, serve } from './sending.suite.ts';
import { KEPT_BYTES } from './webhook-sender.ts';

test('sends the message unchanged and returns the status and Retry-After', async () => {
  let received: { method?: string; url?: string; agent?: string; body: string } = { body: '' };
  const { port } = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '' } = request;
    received = { method, url, agent: String(request.headers['user-agent']), body };
    response.writeHead(429, { 'retry-after': '7' }).end('later');
  });
  const outcome = await postOnce(`http://127.0.0.1:${port}/a/b?c=%20d`);
  const body = { bytes: Buffer.from('later'), isCut: false };
  assert.deepEqual(outcome, { answered: true, status: 429, retryAfter: '7', body });
  assert.deepEqual(received, {
    method: 'POST',
    url: '/a/b?c=%20d',
    agent: 'test',
    body: '{"id":"1"}',
  });
});

test('does not follow redirects', async () => {
  let requests = 0;
  const { port } = await serve((_, response) => {
    requests += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const outcome = await postOnce(`http://127.0.0.1:${port}/`);
  assert.deepEqual(outcome, { answered: true, status: 302, retryAfter: null });
  assert.equal(requests, 1);
});

test('reuses connections', async () => {
  const sockets = new Set<Socket>();
  const { port } = await serve((request, response) => {
    sockets.add(request.socket);
    request.resume().once('end', () => response.end('x'.repeat(1000)));
  });
  const target = senderTo().open(`http://127.0.0.1:${port}/`, SPACE);
  for (let times = 0; times < 20; times += 1)
    assert.equal((await target.post(MESSAGE)).answered, true);
  target.close();
  assert.ok(sockets.size <= 2, `${sockets.size} connections`);
});

test('follows DNS changes because connections have a maximum age', async () => {
  const requests = [0, 0];
  const { port } = await serve((_, response) => {
    requests[0] = (requests[0] ?? 0) + 1;
    response.end();
  });
  const other = createServer((_, response) => {
    requests[1] = (requests[1] ?? 0) + 1;
    response.end();
  }).listen(port, '127.0.0.2');
  await once(other, 'listening');
  after(() => other.close());
  let address = '127.0.0.1';
  const resolve = async () => [{ address, family: 4 }];
  const limits = { connectionMs: 50 };
  const target = senderTo({ resolve, limits }).open(`http://a.example:${port}/`, SPACE);
  await target.post(MESSAGE);
  address = '127.0.0.2';
  for (let tries = 0; requests[1] === 0 && tries < 1000; tries += 1) {
    assert.equal((await target.post(MESSAGE)).answered, true);
    await sleep(5);
  }
  target.close();
  assert.ok((requests[0] ?? 0) >= 1 && requests[1] === 1);
});

test('fails after the timeout and closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const { port } = await serve((request) => {
    request.socket.once('close', () => closed.resolve());
  });
  const outcome = await postOnce(`http://127.0.0.1:${port}/`, { limits: { attemptMs: 100 } });
  assert.deepEqual(outcome, { answered: false, problem: 'no response within 0.1 seconds' });
  await closed.promise;
});

test('returns the status of a response whose body is endless or too large', async () => {
  for (const isEndless of [true, false]) {
    const closed = Promise.withResolvers<void>();
    const { port } = await serve((request, response) => {
      request.socket.once('close', () => closed.resolve());
      response.writeHead(200);
      if (isEndless) response.write('x');
      else response.end(Buffer.alloc(10_000_000));
    });
    const outcome = await postOnce(`http://127.0.0.1:${port}/`, { limits: { attemptMs: 200 } });
    assert.ok(outcome.answered);
    assert.deepEqual([outcome.status, outcome.body?.isCut], [200, true]);
    assert.ok((outcome.body?.bytes.length ?? 0) <= KEPT_BYTES);
    await closed.promise;
  }
});

test('opens a new connection if the target closes an idle one during reuse', async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      // The target keeps the connection open and then closes it on reuse.
      if (connections === 1 && requests === 2) socket.destroy();
      else socket.write('HTTP/1.1 204 No Content\r\nkeep-alive: timeout=60\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const target = senderTo().open(`http://127.0.0.1:${port}/`, SPACE);
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(await target.post(MESSAGE), { answered: true, status: 204, retryAfter: null });
  target.close();
  assert.equal(connections, 2);
});

test('describes failed requests without showing addresses', async () => {
  const { port: closedPort, server } = await serve(() => {});
  server.close();
  for (const [url, options, problem] of [
    [`http://127.0.0.1:${closedPort}/`, {}, 'the connection was refused'],
    ['http://nowhere.invalid/', {}, 'the host has no public address'],
    [
      'http://inner.example/',
      { resolve: async () => [{ address: '10.0.0.7', family: 4 }] },
      'the host has no public address',
    ],
  ] as const)
    assert.deepEqual(await postOnce(url, options), { answered: false, problem });
});

test('a message that cannot be sent is reported as a failed attempt and does not cause an exception', async () => {
  const { port } = await serve((_, response) => response.end());
  const unreadable = Object.defineProperty({}, 'x-trace', {
    enumerable: true,
    get: () => assert.fail('the header cannot be read'),
  });
  for (const headers of [{ 'x-trace': 'a\nb' }, { 'x trace': 'a' }, unreadable]) {
    const target = senderTo().open(`http://127.0.0.1:${port}/`, SPACE);
    const outcome = await target.post({ ...MESSAGE, headers });
    target.close();
    assert.deepEqual(outcome, { answered: false, problem: 'the request failed' });
  }
});

test('reports a response that is not HTTP', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end('SSH-2.0-OpenSSH\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  assert.deepEqual(await postOnce(`http://127.0.0.1:${port}/`), {
    answered: false,
    problem: 'the response is not valid HTTP',
  });
});

test('close aborts requests in flight', async () => {
  const started = Promise.withResolvers<Socket>();
  const { port } = await serve((request) => started.resolve(request.socket));
  const target = senderTo().open(`http://127.0.0.1:${port}/`, SPACE);
  const posting = target.post(MESSAGE);
  const socket = await started.promise;
  const closed = once(socket, 'close');
  target.close();
  assert.equal((await posting).answered, false);
  await closed;
});

test('sends only to targets with a trusted certificate for their host name', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  after(() => rmSync(directory, { recursive: true }));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=target.example'],
    ...['-addext', 'subjectAltName=DNS:target.example'],
  ]);
  if (status !== 0) return context.skip('openssl is not installed');
  let requests = 0;
  const server = createHttpsServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_, response) => {
      requests += 1;
      response.end();
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  assert.deepEqual(await postOnce(`https://target.example:${port}/`, { resolve }), {
    answered: false,
    problem: 'the certificate is self-signed; the operator can trust it with NODE_EXTRA_CA_CERTS',
  });
  assert.equal(requests, 0);
  const script = `
    import { createWebhookSender } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    import { FairLookups } from ${JSON.stringify(join(import.meta.dirname, '../../../lib/network/index.ts'))};
    const lookups = new FairLookups({ resolve });
    const sender = createWebhookSender({ allowed: ['127.0.0.1'], userAgent: 'test', lookups });
    for (const host of ['target.example', 'other.example']) {
      const target = sender.open('https://' + host + ':${port}/', 'a space');
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
      {
        answered: false,
        problem: 'the certificate is for a different host; use a host name that it contains',
      },
    ],
  );
});

/** Start and end of the validity of a certificate, and the reported problem. The authority is unknown. */
const CERTIFICATES = [
  ['20200101000000Z', '20200201000000Z', /has expired; renew it$/],
  ['20980101000000Z', '20990101000000Z', /is not valid yet; check the clocks of both machines$/],
  [
    '20200101000000Z',
    '20990101000000Z',
    /is not signed by a trusted authority; send the intermediate certificates too, or .*NODE_EXTRA_CA_CERTS$/,
  ],
] as const;

test('names the problem of a certificate and its remedy', { skip: NO_OPENSSL }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  after(() => rmSync(directory, { recursive: true }));
  const openssl = (...parameters: string[]) =>
    execFileSync('openssl', parameters, { cwd: directory, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=ca');
  openssl('req', '-new', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=a');
  writeFileSync(
    join(directory, 'ca.cnf'),
    `[ca]\ndefault_ca=a\n[a]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\n` +
      `policy=p\nunique_subject=no\n[p]\ncommonName=supplied\n`,
  );
  writeFileSync(join(directory, 'index.txt'), '');
  writeFileSync(join(directory, 'serial'), '01');
  for (const [start, end, problem] of CERTIFICATES) {
    const dates = ['-startdate', start, '-enddate', end];
    const authority = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key'];
    openssl('ca', ...authority, ...dates, '-batch', '-in', 'request.pem', '-out', 'cert.pem');
    const server = createHttpsServer({
      key: readFileSync(join(directory, 'key.pem')),
      cert: readFileSync(join(directory, 'cert.pem')),
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const outcome = await postOnce(`https://target.example:${port}/`, { resolve });
    assert.match(outcome.answered ? 'answered' : outcome.problem, problem);
  }
});
