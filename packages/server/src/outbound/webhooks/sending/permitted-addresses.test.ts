import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MESSAGE, postOnce, SPACE, senderTo, serve } from './sending.suite.ts';

test('never connects to a private address, whatever its notation and whether or not it comes from a lookup', async () => {
  let requests = 0;
  const { port } = await serve((_, response) => {
    requests += 1;
    response.end();
  });
  const refused = { answered: false, problem: 'the host has no public address' };
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
  assert.equal(requests, 0);
});

test('checks the addresses of every lookup, not only those of the first lookup', async () => {
  let requests = 0;
  const { port } = await serve((_, response) => {
    requests += 1;
    // Forces a new connection and a new lookup for the next request.
    response.writeHead(200, { connection: 'close' }).end();
  });
  // The second address leads to the same server but is not permitted.
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
  let lookups = 0;
  const resolve = async () => [{ address: answers[lookups++] ?? '', family: 4 }];
  const target = senderTo({ allowed: ['127.0.0.1'], resolve }).open(
    `http://a.example:${port}/`,
    SPACE,
  );
  assert.equal((await target.post(MESSAGE)).answered, true);
  const refused = { answered: false, problem: 'the host has no public address' };
  assert.deepEqual(await target.post(MESSAGE), refused);
  target.close();
  assert.deepEqual([requests, lookups], [1, 2]);
});

test('connects only to the permitted addresses of a host name', async () => {
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

test('refusalOf rejects invalid URLs, credentials, fragments and private addresses', () => {
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

test('reports unknown, failing and private host names in the same words after the same time', async () => {
  const error = (code: string) => Object.assign(new Error(code), { code });
  const lookups: readonly (() => Promise<{ address: string; family: number }[]>)[] = [
    async () => [{ address: '10.0.0.7', family: 4 }],
    async () => [{ address: '::1', family: 6 }],
    async () => [],
    () => Promise.reject(error('ENOTFOUND')),
    () => Promise.reject(error('EAI_AGAIN')),
    () => sleep(100).then(() => Promise.reject(error('ENOTFOUND'))),
  ];
  const refusalMs = 300;
  const results = await Promise.all(
    lookups.map(async (resolve) => {
      const startedAt = performance.now();
      const outcome = await postOnce('http://a.example/', {
        allowed: [],
        resolve,
        limits: { refusalMs },
      });
      return { outcome, took: performance.now() - startedAt };
    }),
  );
  for (const { outcome, took } of results) {
    assert.deepEqual(outcome, { answered: false, problem: 'the host has no public address' });
    assert.ok(took >= refusalMs - 1 && took < refusalMs + 250, String(took));
  }
});
