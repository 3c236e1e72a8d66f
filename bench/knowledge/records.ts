// Claim: a record is current within 100 ms of the acknowledgement of its event (p50). Sends one event at a time and searches until the
// result contains the new value, in a space with many other records. The time includes the round trips of the searches. With
// `GATEHOUSE_TEST_BACKEND=postgres` and `scripts/with-postgres.ts --durable`, it runs on PostgreSQL.
import { randomUUID } from 'node:crypto';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import {
  ORDERS,
  projectionsOf,
} from '../../packages/server/tests/support/knowledge/projections.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { ON_POSTGRES } from '../../packages/server/tests/support/storage/backend.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';

const options = numberOptions({ events: 300, records: 2000 });
const EVENTS_PER_REQUEST = 100;
const SOURCE = 'urn:bench:shop';

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path);
const client = clientOf(service.url);
const as = await signIn(client);
const { id: spaceId } = await makeSpace(client, as);
const projections = projectionsOf(client, as, spaceId);
const { id } = await projections.create(ORDERS);

async function send(events: readonly { subject: string; status: string }[]): Promise<void> {
  const body = {
    events: events.map(({ subject, status }) => ({
      specversion: '1.0',
      id: randomUUID(),
      source: SOURCE,
      type: 'test.order.changed',
      subject,
      data: { status, customer: 'ada' },
    })),
  };
  const answer = await client(`/events?spaceId=${spaceId}`, { as, body });
  if (answer.status !== 200) throw new Error(answer.text);
}

for (let at = 0; at < options.records; at += EVENTS_PER_REQUEST)
  await send(
    Array.from({ length: EVENTS_PER_REQUEST }, (_, index) => ({
      subject: `n${at + index}`,
      status: 'placed',
    })),
  );
await projections.untilCurrent(id);
await projections.search('n1');

const times: number[] = [];
for (let index = 0; index < options.events; index += 1) {
  const subject = `n${index % options.records}`;
  const status = `state${index}x`;
  await send([{ subject, status }]);
  const acknowledgedAt = performance.now();
  while ((await projections.search(status)).length === 0);
  times.push(performance.now() - acknowledgedAt);
}
times.sort((one, other) => one - other);
const percentile = (share: number) =>
  Number((times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1));

report('time from the acknowledgement of an event to a current record, in ms', {
  store: ON_POSTGRES ? 'PostgreSQL' : 'SQLite',
  options,
  results: { p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99) },
  targets: { p50: 100 },
});
