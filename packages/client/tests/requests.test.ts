import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  Gatehouse,
  type GatehouseOptions,
  type LogEntry,
  NotFoundError,
  sendRequest,
} from '../src/index.ts';
import {
  type Behaviour,
  breakOff,
  type HostileServer,
  hangUp,
  ignore,
  json,
  refuse,
  startHostileServer,
} from './hostile-server.ts';

const KEY = 'gh_secret-key';
const PAGE = { items: [{ id: '1' }], next: null };
const LINK = { token: 'secret-token', url: 'https://gate.example/widget/secret-token' };

function clientOf({ url }: HostileServer, options: Partial<GatehouseOptions> = {}): Gatehouse {
  return new Gatehouse({ url, apiKey: KEY, spaceId: 'space', ...options });
}

async function served(...behaviours: Behaviour[]) {
  const server = await startHostileServer(...behaviours);
  return {
    server,
    gatehouse: clientOf(server),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('a request that is safe to repeat is repeated', () => {
  test('after a connection that breaks in the middle of the body', async () => {
    await using one = await served(breakOff, json(200, PAGE));
    assert.deepEqual(await one.gatehouse.links.list(), PAGE);
    assert.equal(one.server.received.length, 2);
  });

  test('after a 503, not before the time in Retry-After', async () => {
    await using one = await served(refuse(503, { 'retry-after': '1' }), json(200, PAGE));
    const startedAt = performance.now();
    await one.gatehouse.links.list();
    assert.ok(performance.now() - startedAt >= 1000);
  });

  test('after a 503 whose Retry-After is a date, by the clock of the server', async () => {
    const [date, later] = ['Tue, 27 Oct 2026 09:00:00 GMT', 'Tue, 27 Oct 2026 09:00:01 GMT'];
    await using one = await served(refuse(503, { date, 'retry-after': later }), json(200, PAGE));
    const startedAt = performance.now();
    await one.gatehouse.links.list();
    const elapsed = performance.now() - startedAt;
    assert.ok(elapsed >= 1000 && elapsed < 10_000, `${elapsed} ms`);
  });

  test('after a timeout', async () => {
    await using one = await served(ignore, json(200, PAGE));
    assert.deepEqual(await one.gatehouse.links.list({}, { timeout: 100 }), PAGE);
  });

  test('with the same Idempotency-Key and the same body, if it creates something', async () => {
    await using one = await served(hangUp, refuse(500), json(200, LINK));
    assert.deepEqual(await one.gatehouse.links.create({ sub: 'a' }), LINK);
    const { received } = one.server;
    assert.equal(received.length, 3);
    assert.match(String(received[0]?.headers['idempotency-key']), /^[0-9a-f]{32}$/);
    assert.equal(new Set(received.map(({ headers }) => headers['idempotency-key'])).size, 1);
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
  });

  test('at most maxRetries times', async () => {
    await using one = await served(refuse(502));
    await assert.rejects(clientOf(one.server, { maxRetries: 1 }).links.list().then(), {
      status: 502,
    });
    assert.equal(one.server.received.length, 2);
    await assert.rejects(one.gatehouse.links.list({}, { maxRetries: 0 }).then(), { status: 502 });
    assert.equal(one.server.received.length, 3);
  });
});

test('a maxRetries that is not a number, such as of a variable that is not set, permits no retry', async () => {
  await using one = await served(hangUp, hangUp, refuse(404));
  const gatehouse = clientOf(one.server, { maxRetries: Number(undefined) });
  await assert.rejects(gatehouse.links.get('a'), { name: 'ConnectionError' });
  await assert.rejects(gatehouse.events.stream().next(), { name: 'ConnectionError' });
});

test('two creations have different keys, unless the caller chooses one', async () => {
  await using one = await served(json(200, LINK));
  await one.gatehouse.links.create();
  await one.gatehouse.links.create();
  await one.gatehouse.links.create({}, { idempotencyKey: 'order-1001' });
  const keys = one.server.received.map(({ headers }) => headers['idempotency-key']);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], 'order-1001');
});

describe('a request is not repeated', () => {
  const unsafe: Record<string, (gatehouse: Gatehouse) => Promise<unknown>> = {
    'if it rotates a secret': ({ eventSources }) => eventSources.rotateSecret('a'),
    'if it resends deliveries': ({ deliveries }) => deliveries.resendAll('a'),
    'if it changes a resource': ({ spaces }) => spaces.update('a', { name: 'b' }),
    'if it exchanges a link': ({ links }) => links.exchange('a'),
    'if it asks the assistant': ({ chat }) => chat.ask('a').next(),
    'if its body is a stream that was read': ({ documents }) =>
      documents.put('a', { fileName: 'a.txt', file: new Blob(['a']).stream() }),
  };
  for (const [name, send] of Object.entries(unsafe))
    test(name, async () => {
      await using one = await served(hangUp);
      await assert.rejects(send(one.gatehouse), { name: 'ConnectionError' });
      assert.equal(one.server.received.length, 1);
    });

  test('if Retry-After is longer than a minute', async () => {
    await using one = await served(refuse(429, { 'retry-after': '3600' }));
    await assert.rejects(one.gatehouse.links.list().then(), {
      name: 'RateLimitError',
      retryAfter: 3600,
    });
    assert.equal(one.server.received.length, 1);
  });

  test('if its signal is aborted while the client waits', async () => {
    await using one = await served(refuse(503, { 'retry-after': '30' }));
    const reason = new Error('enough');
    const controller = new AbortController();
    const { signal } = controller;
    const gatehouse = clientOf(one.server, {
      log: ({ event }) => event === 'retry' && setImmediate(() => controller.abort(reason)),
    });
    await assert.rejects(async () => gatehouse.links.list({}, { signal }), reason);
    assert.equal(one.server.received.length, 1);
  });
});

describe('an error', () => {
  test('has the class of its status, code, issues and request ID', async () => {
    await using one = await served(refuse(404));
    await assert.rejects(one.gatehouse.links.get('a'), (error) => {
      assert.ok(error instanceof NotFoundError && error instanceof ApiError);
      const { name, message, status, code, issues, requestId } = error;
      assert.deepEqual(
        [name, message, status, code],
        ['NotFoundError', 'No.', 404, 'test.refused'],
      );
      assert.deepEqual([issues, requestId], [[{ message: 'sub: is required' }], 'request-7']);
      return true;
    });
  });

  test('of a proxy has the code http.unknown', async () => {
    await using one = await served((response) => void response.writeHead(403).end('<html>'));
    await assert.rejects(one.gatehouse.links.get('a'), {
      name: 'ForbiddenError',
      code: 'http.unknown',
      message: 'The server answered with status 403.',
    });
  });

  test('reports malformed JSON, and an empty response instead of JSON', async () => {
    for (const body of ['{"items":', '']) {
      await using one = await served((response) => void response.end(body));
      await assert.rejects(async () => one.gatehouse.links.list(), {
        name: 'InvalidResponseError',
        message: 'The response to GET /assistant-link is not JSON. Check the URL of the service.',
      });
      assert.equal(one.server.received.length, 1);
    }
  });

  test('names the route as it is documented', async () => {
    await using one = await served((response) => void response.end('<html>'));
    await assert.rejects(one.gatehouse.links.create(), {
      message: 'The response to POST /assistant-link is not JSON. Check the URL of the service.',
    });
  });

  test('reports a redirect, which the client does not follow', async () => {
    await using other = await served(json(200, PAGE));
    const location = `${other.server.url}/assistant-link`;
    await using one = await served((response) => void response.writeHead(307, { location }).end());
    await assert.rejects(async () => one.gatehouse.links.list(), { name: 'InvalidResponseError' });
    assert.deepEqual(other.server.received, []);
  });

  test('reports an unreachable service', async () => {
    const one = await served(ignore);
    await one[Symbol.asyncDispose]();
    const gatehouse = clientOf(one.server, { maxRetries: 0 });
    await assert.rejects(gatehouse.service.health(), { name: 'ConnectionError' });
  });

  test('reports a slow body', async () => {
    await using one = await served((response) => void response.write('{'));
    await assert.rejects(one.gatehouse.service.health({ timeout: 100, maxRetries: 0 }), {
      name: 'TimeoutError',
      message: 'No complete response within 100 ms.',
    });
  });

  test('is the reason of the signal if the caller aborts', async () => {
    await using one = await served(ignore);
    const signal = AbortSignal.timeout(100);
    await assert.rejects(one.gatehouse.service.health({ signal }), { name: 'TimeoutError' });
    await assert.rejects(
      one.gatehouse.service.health({ signal }),
      (error) => error === signal.reason,
    );
  });

  test('of a list that was not awaited does not end the process', async () => {
    await using one = await served(refuse(404));
    one.gatehouse.links.list();
    await sleep(20);
    assert.deepEqual(one.server.received, []);
  });
});

for (const [name, page] of Object.entries({
  'repeats the cursor, as after a cache that ignores the query': { items: [{}], next: 'Mg' },
  'has no cursor': { items: [{}] },
}))
  test(`an iteration over a list ends with an error if the response ${name}`, async () => {
    await using one = await served(json(200, page), json(200, page), refuse(404));
    await assert.rejects(Array.fromAsync(one.gatehouse.links.list()), {
      name: 'InvalidResponseError',
      message: /^The next cursor is missing or repeated/,
    });
  });

test('a timeout beyond the limit of timers does not end a request at once', async () => {
  for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 31]) {
    await using one = await served(async (response, received) => {
      await sleep(50);
      await json(200, PAGE)(response, received);
    });
    const gatehouse = clientOf(one.server, { timeout, maxRetries: 0 });
    assert.deepEqual(await gatehouse.links.list(), PAGE);
  }
});

describe('a mistake of the caller', () => {
  const url = 'http://gate.example';
  test('is a TypeError before any request', async () => {
    const fetch = () => assert.fail('no request is expected');
    const gatehouse = new Gatehouse({ url, fetch });
    await assert.rejects(gatehouse.documents.get('a'), /spaceId is missing/);
    await assert.rejects(gatehouse.links.get('..'), /linkId must be/);
    await assert.rejects(gatehouse.links.revoke(''), /linkId must be/);
    const empty = new Gatehouse({ url, fetch, apiKey: '' });
    await assert.rejects(empty.service.health(), /the credential is empty/);
    const broken = new Gatehouse({ url, fetch, apiKey: `${KEY}\n` });
    await assert.rejects(broken.service.health(), (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.doesNotMatch(String(error.stack), new RegExp(KEY));
      return true;
    });
  });

  test('in the path of any request does not send the credential to another host', async () => {
    const fetch = () => assert.fail('no request is expected');
    for (const path of ['.other.example/', '@other.example/', ':8080/', 'spaces', ''])
      await assert.rejects(sendRequest({ url, fetch, apiKey: KEY }, { method: 'GET', path }), {
        name: 'TypeError',
        message: 'path must start with /',
      });
  });

  test('in the URL is a TypeError', () => {
    for (const wrong of ['gate.example', 'ftp://gate.example', 'http://a:b@gate.example'])
      assert.throws(() => new Gatehouse({ url: wrong }), TypeError);
  });
});

test('the URL of the service may have a path', async () => {
  await using one = await served(json(200, PAGE));
  const url = `${one.server.url}/gate/`;
  await new Gatehouse({ url }).links.list({ limit: 2, after: undefined });
  assert.equal(one.server.received[0]?.url, '/gate/assistant-link?limit=2');
});

test('a credential may be a function, which is called before each attempt', async () => {
  await using one = await served(hangUp, json(200, PAGE));
  let count = 0;
  const token = async () => `token-${++count}`;
  await new Gatehouse({ url: one.server.url, token }).links.list();
  const sent = one.server.received.map(({ headers }) => headers.authorization);
  assert.deepEqual(sent, ['Bearer token-1', 'Bearer token-2']);
});

test('a credential that never arrives does not outlast the signal or the timeout', async () => {
  const pending = new Promise<string>(() => {});
  const fetch = () => assert.fail('no request is expected');
  const gatehouse = new Gatehouse({ url: 'http://gate.example', fetch, token: () => pending });
  const reason = new Error('enough');
  const controller = new AbortController();
  const aborted = gatehouse.service.health({ signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(aborted, reason);
  const late = gatehouse.service.health({ timeout: 20, maxRetries: 0 });
  await assert.rejects(late, { name: 'TimeoutError' });
});

test('log entries describe each attempt and contain no credential, body, query or URL', async () => {
  await using one = await served(hangUp, refuse(503), json(200, LINK, { 'x-request-id': 'r' }));
  const entries: LogEntry[] = [];
  const log = (entry: LogEntry) => void entries.push(entry);
  const gatehouse = clientOf(one.server, { log });
  await gatehouse.links.create({ sub: 'secret-person', email: 'secret@shop.example' });
  await gatehouse.widget.page('secret-link-token');
  await gatehouse.links.revokeAll({ sub: 'secret-person' });
  const told = entries.map(({ event, attempt }) => `${event} ${attempt}`);
  assert.deepEqual(told.slice(0, 8), [
    'request 1',
    'failure 1',
    'retry 1',
    'request 2',
    'response 2',
    'failure 2',
    'retry 2',
    'request 3',
  ]);
  assert.deepEqual(
    new Set(entries.map(({ route }) => route)),
    new Set(['POST /assistant-link', 'GET /widget/{token}', 'DELETE /assistant-link']),
  );
  assert.doesNotMatch(JSON.stringify(entries), /secret|127\.0\.0\.1/);
});

describe('the signal of a streamed response', () => {
  test('cancels the body', async () => {
    await using one = await served((response) => void response.write('id,action'));
    const controller = new AbortController();
    const { signal } = controller;
    const response = await one.gatehouse.audit.export({ format: 'csv' }, { signal });
    controller.abort(new Error('enough'));
    await assert.rejects(response.text(), { message: 'enough' });
  });

  test('has no listener after the response has ended', async () => {
    await using one = await served((response) => void response.end('id,action'));
    const { signal } = new AbortController();
    await (await one.gatehouse.audit.export({ format: 'csv' }, { signal })).text();
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
});

test('an error in the log hook does not affect the request', async () => {
  await using one = await served(json(200, PAGE));
  const log = () => {
    throw new Error('the disk is full');
  };
  assert.deepEqual(await clientOf(one.server, { log }).links.list(), PAGE);
});
