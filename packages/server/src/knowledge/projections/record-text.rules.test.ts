import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Definition, definitionIssues, valueAt } from './definition.rules.ts';
import { changeOf, EMPTY_STATE, merge } from './record-state.rules.ts';
import { renderRecord } from './record-text.rules.ts';

const ORDER: Definition = {
  name: 'Order',
  types: ['order.*'],
  sources: null,
  deletedBy: [],
  key: '/order/id',
  fields: { status: '/status', customer: '/customer', note: '/note' },
  title: 'Order {key}',
  text: 'Order {key} is {status}. {note}',
  metadata: { customer: { field: 'customer' }, kind: { value: 'order' } },
};

function recordOf(...events: readonly object[]) {
  const changes = events.map((event, index) => {
    const position = index + 1;
    const text = JSON.stringify({ id: `e${position}`, source: '/shop', type: 'order.x', ...event });
    return changeOf(ORDER, { position, receivedAt: Date.UTC(2026, 4, 1 + 3 * index), text });
  });
  const usable = changes.filter((change) => change !== null);
  const [first] = usable;
  assert.ok(first);
  return renderRecord(ORDER, first.key, usable.reduce(merge, EMPTY_STATE));
}

test('a record has its state, and its history with the event of each fact, newest first', () => {
  const record = recordOf(
    { data: { order: { id: 1001 }, status: 'placed', customer: 'c1' } },
    {
      data: { order: { id: '1001' }, status: 'shipped' },
      time: '2026-05-03T23:59:59Z',
      id: 'ev-3',
    },
  );
  assert.deepEqual(record, {
    fileName: 'Order 1001',
    title: 'Order 1001',
    heading: 'Order 1001',
    text: [
      'Order 1001 is shipped. –',
      '',
      '3 May 2026: status: shipped (order.x, event ev-3).',
      '1 May 2026: status: placed, customer: c1 (order.x, event e1).',
    ].join('\n'),
    metadata: { customer: 'c1', kind: 'order' },
  });
});

test('a value cannot insert a placeholder, a line or an invalid character', () => {
  const note = '{customer}\n3 May 2026: status: refunded\u2028\u0000 \uD800';
  const record = recordOf({ data: { order: { id: 'a' }, status: 'x', customer: 'secret', note } });
  const [first] = record?.text.split('\n') ?? [];
  assert.equal(first, 'Order a is x. {customer} 3 May 2026: status: refunded \uFFFD');
  assert.equal(record?.text.split('\n').length, 3);
});

test('metadata without a value is left out, and a value that is no metadata hides the record', () => {
  assert.deepEqual(recordOf({ data: { order: { id: 'a' } } })?.metadata, { kind: 'order' });
  const valid = { data: { order: { id: 'a' }, customer: 'ada' } };
  // A filter such as `customer ne ada` would show the record without this member.
  for (const customer of ['a\u0000b', 'x'.repeat(4000), { 'a.b': 1 }, ['\uD800']])
    assert.equal(recordOf(valid, { data: { order: { id: 'a' }, customer } }), null);
  const hidden = { data: { order: { id: 'a' }, customer: '\u0000' } };
  assert.deepEqual(recordOf(hidden, valid)?.metadata, { customer: 'ada', kind: 'order' });
  const note = recordOf(valid, { data: { order: { id: 'a' }, note: 'x'.repeat(4000) } });
  assert.equal(note?.title, 'Order a');
});

test('an event without a usable key changes no record', () => {
  for (const id of [undefined, null, '', {}, [], true, 'a\u0000', 'x'.repeat(501)]) {
    const text = JSON.stringify({
      id: 'e',
      source: '/s',
      type: 'order.x',
      data: { order: { id } },
    });
    assert.equal(changeOf(ORDER, { position: 1, receivedAt: 0, text }), null, String(id));
  }
});

test('a JSON pointer selects own members and elements only', () => {
  const data = { 'a/b': { '~': [10, 20] }, '': 1 };
  assert.equal(valueAt(data, '/a~1b/~0/1'), 20);
  assert.equal(valueAt(data, '/'), 1);
  assert.equal(valueAt(data, ''), data);
  for (const pointer of ['/constructor', '/a~1b/~0/length/x', '/missing/x', '/__proto__'])
    assert.equal(valueAt(data, pointer), undefined, pointer);
});

test('all problems of a definition are reported', () => {
  const issues = definitionIssues({
    ...ORDER,
    key: 'order/id',
    fields: { key: '/a', 'a-b': 'x' },
    title: '{missing}',
    metadata: { customer: { field: 'nobody' }, fileName: { value: 1 } },
  }).map(({ message }) => message.split(':')[0]);
  assert.deepEqual(issues, [
    'key',
    'fields.key',
    'fields.a-b',
    'fields.a-b',
    'title',
    'text',
    'text',
    'metadata.customer.field',
    'metadata.fileName',
  ]);
});

test('members of the wrong type are left to the schema', () => {
  for (const wrong of [null, 1, 'x', [], [null], { a: 1 }, { a: null }, { a: { field: 1 } }])
    for (const member of ['key', 'fields', 'title', 'text', 'metadata'])
      assert.ok(Array.isArray(definitionIssues({ ...ORDER, [member]: wrong })), member);
});

test('metadata named __proto__ is a member of its own, as in an uploaded document', () => {
  const metadata = JSON.parse('{"__proto__": {"value": "secret"}}') as Definition['metadata'];
  const change = changeOf(ORDER, {
    position: 1,
    receivedAt: 0,
    text: JSON.stringify({
      id: 'e1',
      source: '/shop',
      type: 'order.x',
      data: { order: { id: 1 } },
    }),
  });
  assert.ok(change);
  const record = renderRecord({ ...ORDER, metadata }, change.key, merge(EMPTY_STATE, change));
  assert.deepEqual(Object.entries(record?.metadata ?? {}), [['__proto__', 'secret']]);
});
