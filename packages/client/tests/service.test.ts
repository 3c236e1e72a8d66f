import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { serviceOfThisFile } from '../../server/tests/support/services/file-service.ts';
import { ADMIN } from '../../server/tests/support/services/service.ts';
import {
  Assistant,
  EventBuffer,
  eventSigner,
  type FailedEvent,
  type Fetch,
  Gatehouse,
  type NewEvent,
  signEvent,
  type UploadProgress,
  type WidgetSession,
} from '../src/index.ts';
import { startCuttingProxy } from './cutting-proxy.ts';

const { service } = await serviceOfThisFile();
const { url } = service;
const { token } = await new Gatehouse({ url }).auth.signIn(ADMIN);

/** Returns a client of a new space. */
async function newSpace(options: { readonly fetch?: Fetch; readonly url?: string } = {}) {
  const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name: 'Shop' });
  return new Gatehouse({ url, token, spaceId, ...options });
}

const SOURCE = 'https://shop.example/orders';
const event = (id: string): NewEvent => ({ id, source: SOURCE, type: 'example.order.paid' });

async function storedIds({ events }: Gatehouse): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of events.list({ limit: 200 })) ids.push(item.event.id);
  return ids;
}

test('iterating over a list loads all of its pages, and awaiting it loads one', async () => {
  const gatehouse = await newSpace();
  for (let n = 0; n < 5; n++) await gatehouse.bots.create({ name: `Bot ${n}` });
  const names: string[] = [];
  for await (const { name } of gatehouse.bots.list({ limit: 2 })) names.push(name);
  assert.deepEqual(names.slice(1), ['Bot 0', 'Bot 1', 'Bot 2', 'Bot 3', 'Bot 4']);
  const sizes: number[] = [];
  for await (const { items } of gatehouse.bots.list({ limit: 4 }).pages()) sizes.push(items.length);
  assert.deepEqual(sizes, [4, 2]);
  const page = await gatehouse.bots.list({ limit: 2 });
  const next = await gatehouse.bots.list({ limit: 2, after: page.next ?? undefined });
  assert.deepEqual(
    next.items.map(({ name }) => name),
    ['Bot 1', 'Bot 2'],
  );
});

test('a creation whose response is lost happens once', async () => {
  let lost = 0;
  const fetch: Fetch = async (...request) => {
    const response = await globalThis.fetch(...request);
    if (request[1].method !== 'POST' || lost++ > 0) return response;
    await response.arrayBuffer();
    throw new TypeError('the connection broke');
  };
  const gatehouse = await newSpace({ fetch });
  const { url: link } = await gatehouse.links.create({ sub: 'customer-42' });
  assert.match(link, /\/widget\//);
  assert.equal(lost, 2);
  const { items } = await gatehouse.links.list();
  assert.equal(items.length, 1);
});

describe('an upload', async () => {
  const gatehouse = await newSpace();
  const bytes = new Uint8Array(300_000).fill(97);
  const sources = {
    'a Blob': new Blob([bytes]),
    bytes,
    'an ArrayBuffer': bytes.buffer,
    'a ReadableStream': new Blob([bytes]).stream(),
    'a stream of Node': Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]),
    'a function': () => Readable.from([bytes]),
  };
  for (const [name, file] of Object.entries(sources))
    test(`of ${name} stores the bytes and reports progress`, async () => {
      const seen: UploadProgress[] = [];
      const onProgress = (progress: UploadProgress) => void seen.push(progress);
      const uploaded = await gatehouse.documents.put(
        `key of ${name}`,
        {
          file,
          fileName: 'a "quoted" näme.txt',
          title: 'Täitle',
          metadata: { a: [1, { b: 'ü' }] },
        },
        { onProgress },
      );
      assert.equal(uploaded.fileName, 'a "quoted" näme.txt');
      assert.equal(uploaded.title, 'Täitle');
      assert.deepEqual(uploaded.metadata, { a: [1, { b: 'ü' }] });
      const response = await gatehouse.documents.download(uploaded.id);
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
      const total = name.includes('tream') || name === 'a function' ? undefined : bytes.length;
      assert.deepEqual(seen.at(-1), { loaded: bytes.length, total });
      const loaded = seen.map((one) => one.loaded);
      assert.deepEqual(
        loaded,
        loaded.toSorted((a, b) => a - b),
      );
    });

  test('without progress stores the same bytes', async () => {
    const { id } = await gatehouse.documents.create({ file: new File([bytes], 'plain.txt') });
    const response = await gatehouse.documents.download(id);
    assert.equal((await response.arrayBuffer()).byteLength, bytes.length);
  });

  test('of a stream that fails reports the failure', async () => {
    const file = Readable.from(
      (async function* () {
        yield bytes;
        throw new Error('the disk failed');
      })(),
    );
    await assert.rejects(gatehouse.documents.create({ file, fileName: 'broken.txt' }), {
      name: 'ConnectionError',
    });
  });
});

describe('the live stream', () => {
  test('resumes after each broken connection without losing or repeating an event', async () => {
    await using proxy = await startCuttingProxy(url);
    const gatehouse = await newSpace();
    const listener = await newSpace({ url: proxy.url });
    const spaceId = (await gatehouse.bots.list()).items[0]?.spaceId;
    const received: string[] = [];
    await gatehouse.events.send([event('0')]);
    const { resume } = await gatehouse.events.list();
    await gatehouse.events.send([event('1')]);
    for await (const item of listener.events.stream(
      { after: resume ?? undefined, spaceId },
      { spaceId },
    )) {
      received.push(item.event.id);
      if (received.length === 4) break;
      proxy.cut();
      await gatehouse.events.send([event(String(received.length + 1))]);
    }
    assert.deepEqual(received, ['1', '2', '3', '4']);
    assert.ok(proxy.connections() >= 4);
  });

  test('reconnects if the connection is silent, and reports both', async () => {
    await using proxy = await startCuttingProxy(url);
    const gatehouse = await newSpace();
    const spaceId = (await gatehouse.bots.list()).items[0]?.spaceId;
    const listener = new Gatehouse({ url: proxy.url, token, spaceId });
    await gatehouse.events.send([event('1')]);
    const { resume } = await gatehouse.events.list();
    const states: string[] = [];
    const stream = listener.events.stream(
      { after: resume ?? undefined },
      {
        idleTimeout: 300,
        onConnect: () => states.push('connected'),
        onDisconnect: (error) => states.push((error as Error).name),
      },
    );
    const first = stream.next();
    await gatehouse.events.send([event('2')]);
    assert.equal((await first).value?.event.id, '2');
    proxy.stall();
    await gatehouse.events.send([event('3')]);
    assert.equal((await stream.next()).value?.event.id, '3');
    await stream.return();
    assert.deepEqual(states, ['connected', 'TimeoutError', 'connected']);
  });

  test('ends with the error of the service if it may not be read', async () => {
    const stream = new Gatehouse({ url, token: 'nobody' }).events.stream();
    await assert.rejects(stream.next(), { name: 'UnauthorizedError' });
  });

  test('ends with the reason of the signal', async () => {
    const gatehouse = await newSpace();
    const controller = new AbortController();
    const stream = gatehouse.events.stream({}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await assert.rejects(stream.next(), { message: 'enough' });
  });
});

describe('events of a source that requires signatures', async () => {
  const gatehouse = await newSpace();
  const { id, secret } = await gatehouse.eventSources.create({
    name: 'shop',
    source: SOURCE,
    signatureRequired: true,
  });
  const anonymous = new Gatehouse({ url });

  test('are accepted in a signed request', async () => {
    const result = await anonymous.events.send([event('a')], { signer: eventSigner(secret) });
    assert.deepEqual(result.eventIds, ['a']);
  });

  test('are accepted in a signed request of a client that has another credential', async () => {
    const failed = await gatehouse.events.send([event('e')]);
    assert.match(failed.errors?.[0]?.error ?? '', /signature/);
    const result = await gatehouse.events.send([event('e')], { signer: eventSigner(secret) });
    assert.deepEqual(result.eventIds, ['e']);
  });

  test('are accepted with their own signatures', async () => {
    const data = { é: 1e21, a: [0.1, -0, 'ü\u2028'], at: new Date(0), none: undefined };
    const signed = await signEvent({ ...event('b'), data }, secret);
    assert.deepEqual((await anonymous.events.send([signed])).eventIds, ['b']);
  });

  test('are accepted during a rotation with both secrets', async () => {
    const { secret: next } = await gatehouse.eventSources.rotateSecret(id, { keepOldSeconds: 0 });
    const signer = eventSigner(secret, next);
    assert.deepEqual((await anonymous.events.send([event('c')], { signer })).eventIds, ['c']);
    await assert.rejects(anonymous.events.send([event('d')], { signer: eventSigner(secret) }), {
      name: 'UnauthorizedError',
    });
  });
});

function collect() {
  const failed: FailedEvent[] = [];
  return { failed, onFailed: (some: readonly FailedEvent[]) => void failed.push(...some) };
}

describe('an event buffer', () => {
  test('sends events in batches and in order', async () => {
    const sizes: number[] = [];
    const fetch: Fetch = (request, init) => {
      if (request.includes('/events') && init.method === 'POST')
        sizes.push(JSON.parse(String(init.body)).events.length);
      return globalThis.fetch(request, init);
    };
    const gatehouse = await newSpace({ fetch });
    const { failed, onFailed } = collect();
    const buffer = new EventBuffer(gatehouse, { onFailed, batchSize: 40 });
    const ids = Array.from({ length: 100 }, (_, index) => String(index));
    for (const id of ids) assert.ok(buffer.add(event(id)));
    await buffer.close();
    assert.deepEqual(sizes, [40, 40, 20]);
    assert.deepEqual(await storedIds(gatehouse), ids);
    assert.equal(buffer.size, 0);
    assert.deepEqual(failed, []);
  });

  test('sends a single event after the interval', async () => {
    const gatehouse = await newSpace();
    const { failed, onFailed } = collect();
    const buffer = new EventBuffer(gatehouse, { onFailed, flushInterval: 20 });
    const stream = gatehouse.events.stream();
    const next = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    buffer.add(event('1'));
    assert.equal((await next).value?.event.id, '1');
    await stream.return();
    await buffer.close();
    assert.deepEqual(failed, []);
  });

  test('reports rejected events with their reasons and stores the others', async () => {
    const gatehouse = await newSpace();
    const { failed, onFailed } = collect();
    const buffer = new EventBuffer(gatehouse, { onFailed });
    for (const one of [event('1'), { ...event('2'), time: 'yesterday' }, event('3')])
      buffer.add(one);
    await buffer.flush();
    assert.deepEqual(
      failed.map((one) => one.event.id),
      ['2'],
    );
    assert.match(failed[0]?.reason ?? '', /^time: /);
    assert.deepEqual(await storedIds(gatehouse), ['1', '3']);
  });

  test('reports all events of a request that the service rejects', async () => {
    const { failed, onFailed } = collect();
    const buffer = new EventBuffer(new Gatehouse({ url, token: 'nobody' }), { onFailed });
    buffer.add(event('1'));
    buffer.add(event('2'));
    await buffer.close();
    assert.deepEqual(
      failed.map((one) => one.event.id),
      ['1', '2'],
    );
  });

  test('keeps events while the service is unreachable and rejects events beyond its limit', async () => {
    let down = true;
    const fetch: Fetch = (...request) =>
      down ? Promise.reject(new TypeError('unreachable')) : globalThis.fetch(...request);
    const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name: 'Shop' });
    const gatehouse = new Gatehouse({ url, token, spaceId, fetch, maxRetries: 0 });
    const { failed, onFailed } = collect();
    const buffer = new EventBuffer(gatehouse, { onFailed, maxBytes: 250, flushInterval: 10 });
    const accepted = ['1', '2', '3', '4'].map((id) => buffer.add(event(id)));
    assert.deepEqual(accepted, [true, true, false, false]);
    assert.deepEqual(
      failed.map((one) => one.reason),
      Array(2).fill('The buffer is full (250 bytes).'),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(buffer.size, 2);
    down = false;
    await buffer.close();
    assert.deepEqual(await storedIds(gatehouse), ['1', '2']);
    assert.equal(buffer.add(event('5')), false);
    assert.equal(failed.at(-1)?.reason, 'The buffer is closed.');
  });

  test('reports unsent events if the service stays unreachable until the timeout of close', async () => {
    const fetch = () => Promise.reject(new TypeError('unreachable'));
    const gatehouse = new Gatehouse({ url, token, fetch });
    const { failed, onFailed } = collect();
    const buffer = new EventBuffer(gatehouse, { onFailed });
    buffer.add(event('1'));
    await buffer.close({ timeout: 100 });
    assert.deepEqual(
      failed.map((one) => one.event.id),
      ['1'],
    );
    assert.match(failed[0]?.reason ?? '', /connection failed/);
  });

  test('sends the remaining events when a Node process runs out of work', async () => {
    const gatehouse = await newSpace();
    const spaceId = (await gatehouse.bots.list()).items[0]?.spaceId;
    const program = `
      import { EventBuffer, Gatehouse } from '${import.meta.resolve('../src/index.ts')}';
      const gatehouse = new Gatehouse(${JSON.stringify({ url, token, spaceId })});
      const buffer = new EventBuffer(gatehouse, { flushAtExit: true, flushInterval: 1e6, onFailed: console.error });
      buffer.add(${JSON.stringify(event('1'))});`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    assert.deepEqual(await storedIds(gatehouse), ['1']);
  });
});

test('an assistant renews its session before it expires', async () => {
  let exchanges = 0;
  const fetch: Fetch = async (request, init) => {
    const response = await globalThis.fetch(request, init);
    if (!request.endsWith('/exchange') || !response.ok) return response;
    exchanges++;
    const session = (await response.json()) as WidgetSession;
    return Response.json({ ...session, expiresIn: 0 });
  };
  const gatehouse = await newSpace();
  const { token: linkToken } = await gatehouse.links.create({ sub: 'customer-42' });
  const assistant = await Assistant.open({ url, linkToken, fetch });
  assert.equal(exchanges, 1);
  await Promise.all([assistant.search({ query: 'a' }), assistant.search({ query: 'b' })]);
  assert.equal(exchanges, 2);
  await gatehouse.links.revokeAll({ sub: 'customer-42' });
  await assert.rejects(assistant.search({ query: 'refund' }), { name: 'GoneError' });
});
