import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedIds, ingest, makeEvent, type SentEvent } from '../support/events/events.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const LONG = 'x'.repeat(10_000);
const NOT_STRINGS = [null, 0, 1.5, true, [], {}, ['a']];
/** CloudEvents strings must not contain control characters, lone surrogates or noncharacters. */
const BAD_TEXTS = [
  '\u0000',
  'a\nb',
  '\u007f',
  '\u0085',
  '\ud800',
  'a\udfff',
  '\uffff',
  '\u{1fffe}',
];
const BAD_URIS = [
  '',
  'shop',
  '/orders',
  '//shop.example',
  '1a:b',
  ':a',
  'urn:a b',
  'urn:é',
  'urn:a\n',
  'urn:%zz',
  'urn:%1',
  'http://[::1',
  'http://[zz]/',
  'http://a:b/',
  'urn:<a>',
  'urn:"a"',
  'urn:\\a',
  'urn:a#b#c',
];
const BAD_TIMES = [
  '',
  'now',
  '2026-03-04',
  '2026-03-04T05:06',
  '2026-03-04 05:06:07Z',
  '2026-03-04T05:06:07',
  '2026-03-04T05:06:07z',
  '2026-03-04t05:06:07Z',
  '2026-03-04T05:06:07+00:00',
  '2026-03-04T05:06:07-07:00',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-03-04T24:00:00Z',
  '2026-03-04T05:60Z',
  '2026-12-31T23:59:60Z',
  '2026-03-04T05:06:07.Z',
  '2026-03-04T05:06.5Z',
  '26-03-04T05:06:07Z',
  '+002026-03-04T05:06:07Z',
  '2026-3-4T05:06:07Z',
  '2026-03-04T05:06:07ZZ',
  ' 2026-03-04T05:06:07Z',
  '٢٠٢٦-03-04T05:06:07Z',
];

/** Invalid values by the path in their error. */
const INVALID: Readonly<Record<string, readonly unknown[]>> = {
  id: [undefined, '', ...NOT_STRINGS, ...BAD_TEXTS],
  source: [undefined, ...NOT_STRINGS, ...BAD_URIS],
  specversion: [undefined, '', '1', '1.0.0', '0.3', '2.0', ' 1.0', ...NOT_STRINGS, 1],
  type: [undefined, '', ...NOT_STRINGS, ...BAD_TEXTS],
  datacontenttype: ['', ...NOT_STRINGS, ...BAD_TEXTS],
  dataschema: [...NOT_STRINGS, ...BAD_URIS],
  subject: ['', ...NOT_STRINGS, ...BAD_TEXTS],
  time: [...NOT_STRINGS, ...BAD_TIMES],
  metadata: [null, 0, true, 'text', []],
  'metadata.sender': NOT_STRINGS.map((sender) => ({ sender })),
  'metadata.version': NOT_STRINGS.map((version) => ({ version })),
  'metadata.environment': NOT_STRINGS.map((environment) => ({ environment })),
  'metadata.region': ['\u0000', '\ud800'].map((region) => ({ region })),
  auth: [null, 0, true, 'text', []],
  'auth.apiKey': NOT_STRINGS.map((apiKey) => ({ apiKey })),
  'auth.signature': NOT_STRINGS.map((signature) => ({ signature })),
  'auth.timestamp': NOT_STRINGS.map((timestamp) => ({ timestamp })),
  'auth.key': ['a'].map((key) => ({ key })),
  shopextension: BAD_TEXTS,
};

const VALID: Readonly<Record<string, readonly unknown[]>> = {
  id: ['x', ' ', LONG, '日本', '😀', '__proto__', 'a/b?c=d', '7'],
  source: [
    'urn:a',
    'a:',
    'a:b#c',
    'HTTP://SHOP.example:80/a?b=c#d',
    'http://[::1]:8080/',
    'mailto:a@b.example',
    'urn:%C3%A9',
    `urn:${LONG}`,
    'file:///etc',
    'tag:x,2026:y',
  ],
  type: ['x', LONG, 'ü', 'a b'],
  datacontenttype: ['application/json', 'text/plain; charset=utf-8', 'anything'],
  dataschema: ['https://shop.example/schema.json', 'urn:schema#order'],
  subject: ['x', LONG, '日本', '/a/b'],
  time: [
    '2026-03-04T05:06Z',
    '2026-03-04T05:06:07Z',
    '2026-03-04T05:06:07.1Z',
    '2026-03-04T05:06:07.123456789Z',
    `2026-03-04T05:06:07.${'1'.repeat(100)}Z`,
    '2024-02-29T00:00:00Z',
    '2000-02-29T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ],
  data: [null, 0, false, '', 'text', [], {}, { a: [{ b: null }] }, '\u0000', '\ud800', LONG],
  metadata: [
    {},
    { sender: '', version: '', environment: '' },
    { sender: 'crm', version: '2', environment: 'test', other: [1], nested: { a: null } },
  ],
  auth: [{}, { apiKey: 'gh_x' }, { signature: 's', timestamp: '1' }, { timestamp: '' }],
  shopextension: [null, 7, '', 'text', [], { a: 1 }],
  traceparent: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
};

/** Sends events in batches of 100. Returns the error of each event, or `null` if it was accepted. */
async function outcomes(key: string, events: readonly SentEvent[]): Promise<(string | null)[]> {
  const found: (string | null)[] = events.map(() => null);
  for (let start = 0; start < events.length; start += 100) {
    const sent = events.slice(start, start + 100);
    const result = await ingest(client, { as: key, body: { events: sent } });
    assert.equal(result.processed + result.failed, sent.length);
    for (const { index, error } of result.errors ?? []) found[start + index] = error;
  }
  return found;
}

test('rejects only the event with an invalid value and names the invalid member', async () => {
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const cases = Object.entries(INVALID).flatMap(([path, values]) =>
    values.map((value) => ({ path, value, member: path.split('.', 1)[0] ?? path })),
  );
  const events = cases.map(({ member, value }) => makeEvent({ [member]: value }));
  const errors = await outcomes(key, events);
  for (const [index, { path, value }] of cases.entries())
    assert.ok(
      errors[index]?.startsWith(`${path}: `),
      `${path} ${JSON.stringify(value)} gave ${errors[index]}`,
    );
  assert.deepEqual(await feedIds(client, key), []);
});

test('rejects every type and source that only the service itself emits', async () => {
  const { id: spaceId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId);
  const reserved = [
    ...['audit.link.created', 'conversation.handoff', 'subscription.test', 'tool.called'].map(
      (type) => ({ type: `gatehouse.${type}` }),
    ),
    ...[`crawl:${spaceId}`, `space:${spaceId}`, '0f'.repeat(16)].map((source) => ({
      source: `urn:gatehouse:${source}`,
    })),
  ];
  const errors = await outcomes(key, reserved.map(makeEvent));
  for (const [index, members] of reserved.entries())
    assert.match(errors[index] ?? '', /reserved|the service itself/, JSON.stringify(members));
  assert.deepEqual(await feedIds(client, key), []);
});

test('stores every valid value of every event member', async () => {
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const events = Object.entries(VALID).flatMap(([member, values]) =>
    values.map((value) => makeEvent({ [member]: value })),
  );
  const errors = await outcomes(key, events);
  for (const [index, event] of events.entries())
    assert.equal(errors[index], null, JSON.stringify(event).slice(0, 200));
  assert.deepEqual(
    await feedIds(client, key),
    events.map((event) => event['id']),
  );
});

test('rejects batch elements that are not objects and accepts the other events', async () => {
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const result = await ingest(client, {
    as: key,
    body: { events: [null, 1, 'a', true, [], [[]], makeEvent()] },
  });
  assert.deepEqual(
    result.errors,
    [0, 1, 2, 3, 4, 5].map((index) => ({ index, error: 'event: must be an object' })),
  );
});

test('rejects duplicate members in an event, in its `auth` and in its `metadata`', async () => {
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const rest = '"source":"urn:a","specversion":"1.0","type":"t"';
  const texts = [
    `{"id":"1","id":"2",${rest}}`,
    `{"id":"1","\\u0069d":"2",${rest}}`,
    `{"id":"1","x":1,"x":1,${rest}}`,
    `{"id":"1","auth":{},"auth":{},${rest}}`,
    `{"id":"1","auth":{"apiKey":"a","apiKey":"b"},${rest}}`,
    `{"id":"1","metadata":{"sender":"a","sender":"b"},${rest}}`,
    `{"id":"1","__proto__":1,"__proto__":2,${rest}}`,
    `{"id":"kept","data":{"a":1,"a":2},"x":{"a":1,"a":2},${rest}}`,
  ];
  const result = await ingest(client, { as: key, body: `{"events":[${texts.join(',')}]}` });
  assert.deepEqual(
    result.errors?.map(({ error }) => error),
    ['id', 'id', 'x', 'auth', 'auth.apiKey', 'metadata.sender', '__proto__'].map(
      (path) => `${path}: is given twice`,
    ),
  );
  assert.deepEqual(result.eventIds, ['kept']);
});
