import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingestRequests } from '../../load/requests.ts';
import { batchOf } from './publisher.ts';

test('a batch contains the events of the request', () => {
  for (const count of [1, 3]) {
    const request = ingestRequests({ path: '/', authorization: '' }, count, 500)();
    const body = request.subarray(request.indexOf('\r\n\r\n') + 4);
    const events = batchOf(body, count).events.map((event): unknown => JSON.parse(String(event)));
    assert.deepEqual({ events }, JSON.parse(String(body)));
  }
});
