import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { logLines } from '../support/services/log-lines.ts';
import { startService } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { mountSmallDisk } from '../support/storage/small-disk.ts';

const DISK_MEGABYTES = 24;
const EVENT_BYTES = 100_000;
const REQUESTS = 200;

test('the log names the reason of responses with 503, but not once per request, and requests succeed when the disk has room again', {
  skip: SQLITE_ONLY,
}, async (context) => {
  using disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) return context.skip('SKIPPED: mounting a file system requires root');
  await using service = await startService(disk.path, { capture: true });
  const client = clientOf(service.url);
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id);
  disk.fill();
  const send = (id: number) =>
    client('/events', {
      method: 'POST',
      as: key,
      body: {
        events: [
          {
            specversion: '1.0',
            id: String(id),
            source: 'https://shop.example/orders',
            type: 'example.order.paid',
            data: 'x'.repeat(EVENT_BYTES),
          },
        ],
      },
    });
  let unavailable = 0;
  for (let id = 0; id < REQUESTS; id += 1) if ((await send(id)).status === 503) unavailable += 1;
  assert.ok(unavailable > 1, `${unavailable} responses with 503`);
  const problems = logLines(service).filter(
    ({ msg }) => msg === 'requests end with 503: the storage is unavailable',
  );
  assert.equal(problems.length, 1);
  assert.match(JSON.stringify(problems[0]), /disk is full/);
  disk.makeRoom();
  await makeLink(client, key, { sub: 'customer-1' });
});
