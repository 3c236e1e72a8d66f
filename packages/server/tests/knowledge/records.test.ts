import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Projection } from '@gatehouse/contract';
import { Chat, citedBy, openLink, textOf } from '../support/assistant/chat.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { incompressible } from '../support/incompressible.ts';
import { ORDERS, projectionsOf } from '../support/knowledge/projections.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const { service, client } = await serviceOfThisFile();
const session = await signIn(client);

async function newSpace() {
  const { id: spaceId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId);
  const send = (...events: object[]) => {
    const full = events.map((event) => makeEvent({ type: 'test.order.changed', ...event }));
    return ingest(client, { as: key, body: { events: full } });
  };
  return { spaceId, key, send, ...projectionsOf(client, session, spaceId) };
}

test('a customer learns the state and history of the own order and nothing about other orders', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  await space.send(
    {
      subject: 'ord-1001',
      data: { status: 'placed', customer: 'ada' },
      time: '2026-05-01T08:00:00Z',
    },
    { subject: 'ord-1002', data: { status: 'lost', customer: 'bob' } },
    {
      id: 'shipment-7',
      subject: 'ord-1001',
      data: { status: 'shipped', carrier: 'Zebra Post' },
      time: '2026-05-03T08:00:00Z',
    },
  );
  await space.untilCurrent(id);
  const { as } = await openLink(client, session, {
    spaceId: space.spaceId,
    permissionFilter: { customer: { eq: 'ada' } },
  });
  for (const query of ['order 1001', '1001', 'ord-1001', '"ord-1001"', 'where is my order']) {
    const [found, ...others] = await space.search(query, as);
    assert.equal(found?.heading, 'Order ord-1001', query);
    assert.deepEqual(others, [], query);
    assert.match(found?.text ?? '', /^Order ord-1001 is shipped\.\n/);
    assert.match(
      found?.text ?? '',
      /\n\n3 May 2026: status: shipped, carrier: Zebra Post \(test\.order\.changed, event shipment-7\)\.\n1 May 2026: [^\n]+$/,
    );
  }
  for (const query of ['1002', 'lost', 'bob', '"ord-1002"'])
    assert.deepEqual(await space.search(query, as), [], query);
  const answer = await new Chat(service.url, as).ask('Where is my order?');
  assert.match(textOf(answer), /Order ord-1001 is shipped\./);
  assert.match(textOf(answer), /3 May 2026: status: shipped/);
  assert.doesNotMatch(textOf(answer), /1002/);
  assert.deepEqual(citedBy(answer), ['Order ord-1001']);
});

test('a record follows its events, whatever their order, until an event deletes it', async () => {
  const space = await newSpace();
  await space.send({ subject: 'a', data: { status: 'placed' }, time: '2026-05-01T00:00:00Z' });
  const { id } = await space.create();
  await space.untilCurrent(id);
  const stateOf = async () => (await space.records(id, '&key=a'))[0]?.fields['status']?.value;
  assert.equal(await stateOf(), 'placed');
  await space.send({ subject: 'a', data: { status: 'shipped' }, time: '2026-05-03T00:00:00Z' });
  await space.send({ subject: 'a', data: { status: 'paid' }, time: '2026-05-02T00:00:00Z' });
  await space.untilCurrent(id);
  assert.equal(await stateOf(), 'shipped');
  assert.equal((await space.search('shipped')).length, 1);
  const [record] = await space.records(id);
  assert.deepEqual(
    record?.history.map(({ time }) => time.slice(0, 10)),
    ['2026-05-01', '2026-05-02', '2026-05-03'],
  );
  const path = `/spaces/${space.spaceId}/documents/${record?.documentId}`;
  assert.equal((await client(path, { as: session })).json['title'], 'Order a');
  for (const change of [{ method: 'PATCH', body: { metadata: {} } }, { method: 'DELETE' }]) {
    const answer = await client(path, { as: session, ...change });
    assert.equal(answer.json['code'], 'knowledge.is-record', answer.text);
  }
  const listed = await client(`/spaces/${space.spaceId}/documents`, { as: session });
  assert.deepEqual(listed.json['items'], []);
  const type = 'test.order.deleted';
  await space.send({ type, subject: 'a', time: '2026-05-04T00:00:00Z' });
  await space.send({ subject: 'a', data: { status: 'late' }, time: '2026-05-03T12:00:00Z' });
  await space.untilCurrent(id);
  assert.deepEqual(await space.records(id), []);
  assert.deepEqual(await space.search('order'), []);
  assert.equal((await client(path, { as: session })).status, 404);
  await space.send({ subject: 'a', data: { status: 'new' }, time: '2026-05-05T00:00:00Z' });
  await space.untilCurrent(id);
  assert.equal(await stateOf(), 'new');
});

test('a projection stays up to date when events arrive that do not match', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  await space.send({ subject: 'ord-1001', data: { status: 'placed' } });
  await space.untilCurrent(id);
  await space.send({ type: 'test.parcel.changed', subject: 'ord-1001' });
  const { position, newest } = await space.show(id);
  assert.deepEqual([position, newest], [2, 2]);
  const listed = await client(space.path, { as: session });
  assert.equal((listed.json['items'] as { position: number }[])[0]?.position, 2);
  assert.equal((await space.records(id)).length, 1);
  const stats = await client(space.path.replace('/projections', '/events/stats'), { as: session });
  const consumers = stats.json['consumers'] as { name: string; lag: number }[];
  assert.equal(consumers.find(({ name }) => name === 'projections')?.lag, 0);
});

test('a definition can be tried before it is saved', async () => {
  const space = await newSpace();
  await space.send(
    { subject: 'a', data: { status: 'placed' } },
    { data: { status: 'no subject' } },
    { type: 'test.invoice', subject: 'a', data: {} },
  );
  const answer = await client(`${space.path}/try`, { as: session, body: ORDERS });
  assert.equal(answer.status, 200, answer.text);
  const { events, skipped, records } = answer.json as unknown as {
    events: number;
    skipped: number;
    records: { key: string; documentId: null }[];
  };
  assert.deepEqual([events, skipped], [2, 1]);
  assert.deepEqual(
    records.map(({ key, documentId }) => [key, documentId]),
    [['a', null]],
  );
  assert.deepEqual(await space.search('order'), []);
  const body = { ...ORDERS, key: 'order id', title: '{nothing}' };
  const rejected = await client(space.path, { as: session, body });
  assert.equal(rejected.status, 400);
  assert.match(rejected.text, /key: must be `subject` or a JSON pointer/);
  assert.match(rejected.text, /title: \{nothing\} is not a field/);
});

test('a projection warns as long as every sender can change its records', async () => {
  const space = await newSpace();
  const { id, warnings } = await space.create();
  assert.match(String(warnings), /^sources: is not set, so every sender /);
  assert.deepEqual((await space.show(id)).warnings, warnings);
  const listed = await client(space.path, { as: session });
  assert.deepEqual((listed.json['items'] as [Projection])[0].warnings, warnings);
  const change = async (sources: readonly string[] | null) => {
    const body = { sources };
    const { json } = await client(`${space.path}/${id}`, { method: 'PATCH', as: session, body });
    return json['warnings'];
  };
  assert.deepEqual(await change(['https://shop.example/orders']), []);
  assert.deepEqual(await change(null), warnings);
});

test('the metrics show how many events the slowest projection has not examined', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  await space.send({ subject: 'a', data: { status: 'placed' } });
  await space.untilCurrent(id);
  await until('the lag is 0', async () =>
    /^gatehouse_projections_lag 0$/m.test((await client('/metrics')).text),
  );
});

test('a changed definition and a rebuild derive all records from the log again', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  const subjects = Array.from({ length: 120 }, (_, index) => `n${index}`);
  for (const some of [subjects.slice(0, 60), subjects.slice(60)])
    await space.send(
      ...some.map((subject) => ({ subject, data: { status: 'placed', customer: 'x' } })),
    );
  await space.untilCurrent(id);
  assert.equal((await space.show(id)).records, 120);
  const body = { text: 'Purchase {key}: {status}.', metadata: {} };
  const changed = await client(`${space.path}/${id}`, { method: 'PATCH', as: session, body });
  assert.equal(changed.status, 200, changed.text);
  await space.untilCurrent(id);
  const records = await space.records(id);
  assert.equal(records.length, 120);
  assert.deepEqual(
    new Set(records.map(({ metadata }) => JSON.stringify(metadata))),
    new Set(['{}']),
  );
  assert.equal(
    (await space.search('purchase n7'))[0]?.text.startsWith('Purchase n7: placed.'),
    true,
  );
  const rebuilt = await client(`${space.path}/${id}/rebuild`, { method: 'POST', as: session });
  assert.equal(rebuilt.status, 202, rebuilt.text);
  await space.untilCurrent(id);
  assert.deepEqual(await space.records(id), records);
  const deleted = await client(`${space.path}/${id}`, { method: 'DELETE', as: session });
  assert.equal(deleted.status, 204, deleted.text);
  assert.equal((await client(`${space.path}/${id}`, { as: session })).status, 404);
  await until('the records are removed', async () => (await space.search('purchase')).length === 0);
});

test('concurrent changes of different members of a projection are all kept', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  const changes = [
    { metadata: { customer: { field: 'customer' }, internal: { value: true } } },
    { name: 'Purchase' },
    { text: 'Purchase {key} is {status}.' },
    { sources: ['https://shop.example/orders'] },
  ];
  const answers = await Promise.all(
    changes.map((body) => client(`${space.path}/${id}`, { method: 'PATCH', as: session, body })),
  );
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  const { metadata, name, text, sources } = await space.show(id);
  assert.deepEqual({ metadata, name, text, sources }, Object.assign({}, ...changes));
});

test('a change that changes nothing keeps the records and their documents', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  await space.send({ subject: 'n1', data: { status: 'placed', customer: 'x' } });
  await space.untilCurrent(id);
  const [before, records] = [await space.show(id), await space.records(id)];
  const { name, types, fields, metadata } = before;
  const reordered = Object.fromEntries(Object.entries(fields).toReversed());
  for (const body of [{}, { name, types, fields, metadata }, { fields: reordered }]) {
    const same = await client(`${space.path}/${id}`, { method: 'PATCH', as: session, body });
    assert.deepEqual([same.status, same.json], [200, before]);
  }
  assert.deepEqual(await space.records(id), records);
});

test('erasing a person with events removes what records know from these events', async () => {
  const space = await newSpace();
  const { id } = await space.create({ ...ORDERS, key: '/order' });
  await space.send(
    { subject: 'shop', data: { order: 'a', status: 'placed', customer: 'ada' } },
    { subject: 'ada', data: { order: 'a', status: 'Ada is not at home' } },
    { subject: 'ada', data: { order: 'b', status: 'Ada asks' } },
  );
  await space.untilCurrent(id);
  assert.equal((await space.search('Ada')).length, 2);
  const path = `/spaces/${space.spaceId}/subjects/ada?events=true`;
  const erased = await client(path, { method: 'DELETE', as: session });
  assert.equal(erased.json['changedRecords'], 2, erased.text);
  const records = await space.records(id);
  assert.deepEqual(
    records.map(({ key, fields }) => [key, fields['status']?.value]),
    [['a', 'placed']],
  );
  assert.deepEqual(await space.search('home'), []);
  await client(`${space.path}/${id}/rebuild`, { method: 'POST', as: session });
  await space.untilCurrent(id);
  assert.deepEqual(await space.records(id), records);
});

test('an event with a long subject does not stop a projection, and its person can be erased', async () => {
  const space = await newSpace();
  const { id } = await space.create({ ...ORDERS, key: '/order' });
  const sub = incompressible(1200);
  await space.send(
    { subject: 'shop', data: { order: 'a', status: 'placed', customer: 'ada' } },
    { subject: sub, data: { order: 'a', status: 'Ada is not at home' } },
    { subject: 'shop', data: { order: 'a', customer: 'bob' } },
  );
  await space.untilCurrent(id);
  const [record] = await space.records(id);
  assert.equal(record?.fields['customer']?.value, 'bob');
  assert.equal(record.fields['status']?.value, 'Ada is not at home');
  const path = `/spaces/${space.spaceId}/subjects/${encodeURIComponent(sub)}?events=true`;
  const erased = await client(path, { method: 'DELETE', as: session });
  assert.equal(erased.json['changedRecords'], 1, erased.text);
  const [left] = await space.records(id);
  assert.equal(left?.fields['status']?.value, 'placed');
});

test('a cursor of records that is no key gets a 400', async () => {
  const space = await newSpace();
  const { id } = await space.create();
  for (const hex of ['00', '6100', 'f', 'xx']) {
    const after = Buffer.from(hex).toString('base64url');
    const answer = await client(`${space.path}/${id}/records?after=${after}`, { as: session });
    assert.equal(answer.status, 400, `${hex}: ${answer.text}`);
  }
});
