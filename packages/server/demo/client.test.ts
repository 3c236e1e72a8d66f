import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestServer } from '../tests/support/http/test-server.ts';
import { createClient, UnexpectedAnswer } from './client.ts';

let requests = 0;
/** Is overloaded when it receives every second request to `/busy` and each request to `/full`. */
const server = await startTestServer((request, response) => {
  requests += 1;
  const isBusy = request.url === '/full' || requests % 2 === 1;
  response.writeHead(isBusy ? 503 : 200, { 'retry-after': '0' }).end(isBusy ? 'full' : '{"a":1}');
});
after(() => server[Symbol.asyncDispose]());
const send = createClient(server.origin);

test('the demo repeats a request while the service is overloaded, at most nine times', async () => {
  assert.deepEqual(await send('GET', '/busy', null), { a: 1 });
  assert.equal(requests, 2);
  await assert.rejects(
    send('GET', '/full', null),
    new UnexpectedAnswer('GET /full returned 503: full', 503),
  );
  assert.equal(requests, 12);
});
