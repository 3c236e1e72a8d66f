import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { ingest, makeEvent, readFeed } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { ORDERS, projectionsOf } from '../support/knowledge/projections.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';

const ROUNDS = roundsOf(2, 60);
const BATCHES = 6;
const ORDERS_COUNT = 15;
/** The test signs in after each kill. */
const UNLIMITED = { env: { GATEHOUSE_RATE_LIMIT_SIGN_IN: '0' } };

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

function someEvents() {
  return Array.from({ length: 40 }, () =>
    makeEvent({
      type: random.next() < 0.1 ? 'test.order.deleted' : 'test.order.changed',
      subject: `order ${random.below(ORDERS_COUNT)}`,
      time: new Date(Date.UTC(2026, 4, 1 + random.below(5))).toISOString(),
      data: {
        status: random.pick(['placed', 'paid', 'shipped']),
        ...(random.next() < 0.5 ? { customer: random.pick(['ada', 'bob']) } : {}),
      },
    }),
  );
}

type Fields = Record<string, unknown>;

/** Returns the fields of each order after all events of the log, applied in the order of time and position. */
function foldOver(log: readonly Readonly<Record<string, unknown>>[]): Map<string, Fields> {
  const orders = new Map<string, Fields>();
  const sorted = log
    .map((event, position) => ({ event, position, time: Date.parse(String(event['time'])) }))
    .sort((one, other) => one.time - other.time || one.position - other.position);
  for (const { event } of sorted) {
    const subject = String(event['subject']);
    if (event['type'] === 'test.order.deleted') orders.delete(subject);
    else orders.set(subject, { ...orders.get(subject), ...(event['data'] as Fields) });
  }
  return orders;
}

test(`after ${ROUNDS} kills, records and search results equal a fold over the log`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  let spaceId = '';
  let key = '';
  let id = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(directory.path, UNLIMITED);
    const client = clientOf(service.url);
    const session = await signIn(client);
    if (spaceId === '') {
      spaceId = (await makeSpace(client, session)).id;
      key = await makeKey(client, session, spaceId);
      id = (await projectionsOf(client, session, spaceId).create(ORDERS)).id;
    } else if (round % 2 === 0)
      await client(`/spaces/${spaceId}/projections/${id}/rebuild`, { method: 'POST', as: session });
    for (let batch = 0; batch < BATCHES; batch += 1)
      await ingest(client, { as: key, body: { events: someEvents() } });
    await sleep(random.below(60));
    await service.stop('SIGKILL');
  }

  await using service = await startService(directory.path, UNLIMITED);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const projections = projectionsOf(client, session, spaceId);
  await projections.untilCurrent(id);
  const expected = foldOver((await readFeed(client, key)).items.map(({ event }) => event));
  const records = await projections.records(id);
  assert.deepEqual(
    records.map(({ key: order, fields }) => [
      order,
      Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
    ]),
    [...expected].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const documents = new Map(records.map((record) => [record.documentId, record.text]));
  const body = { query: 'order', limit: 50 };
  const found = await client(`/spaces/${spaceId}/search`, { as: session, body });
  const items = found.json['items'] as { documentId: string; text: string }[];
  assert.deepEqual(
    new Map(items.map((item) => [item.documentId, item.text])),
    documents,
    'a search finds each record once, with its current text',
  );
  assert.equal(items.length, records.length);
});
