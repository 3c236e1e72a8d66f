import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventBuffer, Gatehouse } from '../src/index.ts';
import { json, startHostileServer } from './hostile-server.ts';

const event = (id: string) => ({ id, source: 'https://shop.example', type: 'example.order.paid' });

test('an event buffer sends an event that is added at the end of a flush', async () => {
  const rejected = json(200, { processed: 0, eventIds: [], errors: [{ index: 0, error: 'No.' }] });
  for (let microtasks = 0; microtasks < 10; microtasks++) {
    await using server = await startHostileServer(rejected);
    const gatehouse = new Gatehouse({ url: server.url, apiKey: 'gh_key', spaceId: 'space' });
    const closed = Promise.withResolvers<void>();
    const failed: string[] = [];
    const buffer = new EventBuffer(gatehouse, {
      onFailed: async (some) => {
        failed.push(...some.map((one) => one.event.id));
        if (failed.length > 1) return;
        for (let n = 0; n < microtasks; n++) await null;
        buffer.add(event('second'));
        buffer.close().then(closed.resolve, closed.reject);
      },
    });
    buffer.add(event('first'));
    await buffer.flush();
    await closed.promise;
    assert.deepEqual(failed, ['first', 'second'], `after ${microtasks} microtasks`);
  }
});
