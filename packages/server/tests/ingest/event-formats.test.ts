import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { IngestResult } from '@gatehouse/contract';
import { makeEvent, readFeed } from '../support/events/events.ts';
import { postRawEvents } from '../support/events/raw-events.ts';
import type { RawAnswer } from '../support/http/raw-http.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, key, service, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const BATCH = 'application/cloudevents-batch+json';
const ONE = 'application/cloudevents+json';

type Headers = Readonly<Record<string, string>>;

function send(body: string | Uint8Array, headers: Headers, as = key): Promise<RawAnswer> {
  const credential: Headers = as === '' ? {} : { authorization: `Bearer ${as}` };
  return postRawEvents({ port: service.port, headers: { ...credential, ...headers }, body });
}

async function accepted(sent: Promise<RawAnswer>): Promise<IngestResult> {
  const { status, body } = await sent;
  assert.equal(status, 200, body);
  return JSON.parse(body) as IngestResult;
}

async function issuesOf(sent: Promise<RawAnswer>, status: number): Promise<string[]> {
  const answer = await sent;
  assert.equal(answer.status, status, answer.body);
  const { issues = [] } = JSON.parse(answer.body) as { issues?: { message: string }[] };
  return issues.map(({ message }) => message);
}

async function storedText(id: string): Promise<string> {
  for (let after = ''; ; ) {
    const { text, json } = await client(`/events?limit=1${after}`, { as: key });
    const [item] = json['items'] as { event: { id: string } }[];
    if (item?.event.id === id)
      return /^\{"items":\[\{"event":(.*),"receivedAt":/s.exec(text)?.[1] ?? '';
    assert.ok(json['next'], `${id} is not in the feed`);
    after = `&after=${String(json['next'])}`;
  }
}

const attributes = (id: string, more: Headers = {}): Headers => ({
  'ce-specversion': '1.0',
  'ce-id': id,
  'ce-source': '/mycontext/subcontext',
  'ce-type': 'com.example.someevent',
  ...more,
});

test('every event format returns the same result, and the feed lists all events in order', async () => {
  const [own, first, second, one] = ['own', 'first', 'second', 'one'].map((id) =>
    makeEvent({ id: `mixed-${id}` }),
  );
  const before = (await readFeed(client, key)).resume;
  const results = [
    await accepted(send(JSON.stringify({ events: [own] }), { 'content-type': 'application/json' })),
    await accepted(send(JSON.stringify([first, second, first]), { 'content-type': BATCH })),
    await accepted(send(JSON.stringify(one), { 'content-type': ONE })),
    await accepted(send('x', attributes('mixed-binary', { 'content-type': 'text/plain' }))),
  ];
  assert.deepEqual(
    results.map(({ success, processed, failed, eventIds }) => [
      success,
      processed,
      failed,
      eventIds,
    ]),
    [
      [true, 1, 0, ['mixed-own']],
      [true, 3, 0, ['mixed-first', 'mixed-second', 'mixed-first']],
      [true, 1, 0, ['mixed-one']],
      [true, 1, 0, ['mixed-binary']],
    ],
  );
  const { items } = await readFeed(client, key, before);
  assert.deepEqual(
    items.map(({ event }) => event['id']),
    ['mixed-own', 'mixed-first', 'mixed-second', 'mixed-one', 'mixed-binary'],
  );
});

test('stores an event once if the same event arrives in several formats', async () => {
  const event = { ...makeEvent(), id: 'same', source: 'urn:same', type: 't' };
  const before = (await readFeed(client, key)).resume;
  await accepted(send(JSON.stringify(event), { 'content-type': ONE }));
  await accepted(send(JSON.stringify([event]), { 'content-type': BATCH }));
  await accepted(send(JSON.stringify({ events: [event] }), { 'content-type': 'application/json' }));
  await accepted(send('', attributes('same', { 'ce-source': 'urn:same' })));
  assert.equal((await readFeed(client, key, before)).items.length, 1);
});

test('stores structured and batched events byte for byte', async () => {
  const written = (id: string) =>
    `{ "data" : {"n":1.10, "big":123456789012345678901234567890,"a":1,"a":2},\n\t"id":"${id}","specversion":"1.0","type":"\\u0074","source":"#x","time":"2026-03-04T05:06:07.120+01:00","subject":null,"ext":-0,"yes":true }`;
  await accepted(send(written('letter-1'), { 'content-type': `${ONE}; charset=UTF-8` }));
  await accepted(send(`[${written('letter-2')} ]`, { 'content-type': BATCH.toUpperCase() }));
  assert.equal(await storedText('letter-1'), written('letter-1'));
  assert.equal(await storedText('letter-2'), written('letter-2'));
});

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Content type, body, and the resulting data member of the stored event. */
const bodies: readonly (readonly [string | null, string | Uint8Array, string])[] = [
  ['application/json', '{ "total": 1.10,"a":1,"a":2 }', '"data":{ "total": 1.10,"a":1,"a":2 }'],
  ['application/json; charset=utf-8', '"just a string"', '"data":"just a string"'],
  ['application/vnd.shop+json', 'null', '"data":null'],
  ['text/plain', 'say "hi"\n', '"data":"say \\"hi\\"\\n"'],
  ['text/plain; charset=utf-8', 'Ünï😀', '"data":"Ünï😀"'],
  ['application/xml', '<much wow="xml"/>', '"data":"<much wow=\\"xml\\"/>"'],
  ['image/svg+xml', '<svg/>', '"data":"<svg/>"'],
  ['text/plain; charset=iso-8859-1', Buffer.from('é', 'latin1'), '"data_base64":"6Q=="'],
  ['text/plain', Buffer.from([0xff, 0x00]), '"data_base64":"/wA="'],
  ['text/plain', 'a\0b', '"data_base64":"YQBi"'],
  ['image/png', PNG, `"data_base64":"${PNG.toString('base64')}"`],
  ['application/x-www-form-urlencoded', 'a=1', '"data_base64":"YT0x"'],
  [null, 'bytes', '"data_base64":"Ynl0ZXM="'],
];

for (const [index, [type, body, data]] of bodies.entries()) {
  test(`stores ${type ?? 'a body without a content type'} in binary mode as ${data}`, async () => {
    const id = `binary-${index}`;
    const headers: Headers = type === null ? {} : { 'content-type': type };
    await accepted(send(body, { ...attributes(id), ...headers }));
    const text = await storedText(id);
    assert.ok(text.endsWith(`,${data}}`), text);
    const { datacontenttype = null } = JSON.parse(text) as { datacontenttype?: string };
    assert.equal(datacontenttype, type);
  });
}

test('data and content type are optional in binary mode', async () => {
  await accepted(send('', attributes('no-data')));
  await accepted(send('', attributes('no-data-json', { 'content-type': 'application/json' })));
  assert.deepEqual(JSON.parse(await storedText('no-data')), {
    specversion: '1.0',
    id: 'no-data',
    source: '/mycontext/subcontext',
    type: 'com.example.someevent',
  });
  assert.ok(!('data' in (JSON.parse(await storedText('no-data-json')) as object)));
});

test('decodes headers in binary mode and stores extensions as strings', async () => {
  const more = {
    'ce-subject': 'Euro%20%E2%82%AC%20%F0%9F%98%80',
    'Ce-Time': '2018-04-05T03:56:24+02:00',
    'ce-comexampleothervalue': '5',
    'CE-TRACEPARENT': '"00-1-2-01"',
  };
  await accepted(send('', attributes('decoded', more)));
  const event = JSON.parse(await storedText('decoded')) as Record<string, unknown>;
  assert.equal(event['subject'], 'Euro € 😀');
  assert.equal(event['time'], '2018-04-05T03:56:24+02:00');
  assert.equal(event['comexampleothervalue'], '5');
  assert.equal(event['traceparent'], '00-1-2-01');
});

test('rejects an event in binary mode with an invalid header', async () => {
  const wrong: readonly (readonly [Headers, RegExp])[] = [
    [{ 'ce-subject': '%C0%A0' }, /^subject: must be valid UTF-8/],
    [{ 'ce-subject': '' }, /^subject: must not be empty$/],
    [{ 'ce-id': '%zz' }, /^id: must have two hexadecimal digits[^;]*; write[^;]*$/],
    [{ 'ce-specversion': '0.3' }, /^specversion: must be "1.0"$/],
    [{ 'ce-time': 'lunchtime' }, /^time: /],
    [{ 'ce-source': '/a%20b' }, /^source: must not contain a space/],
    [{ 'ce-my-ext': 'x' }, /^my-ext: must have a name/],
    [{ 'ce-__proto__': 'x' }, /^__proto__: must have a name/],
    [{ 'ce-': 'x' }, /^"": must have a name/],
    [{ 'ce-data_base64': 'TWE=' }, /^data_base64: /],
    [{ 'ce-datacontenttype': 'text/xml' }, /^datacontenttype: is the Content-Type/],
    [{ 'ce-auth': 'gh_secret' }, /^auth: must not be a header/],
    [{ 'ce-text': '%00' }, /^text: must not contain a control character/],
  ];
  for (const [headers, problem] of wrong) {
    const result = await accepted(
      send('1', { ...attributes('wrong'), ...headers, 'content-type': 'a/json' }),
    );
    assert.deepEqual([result.processed, result.failed], [0, 1]);
    assert.match(result.errors?.[0]?.error ?? '', problem);
    assert.equal(result.errors?.[0]?.index, 0);
  }
});

test('rejects an event without a required ce- header with 400 and names the header', async () => {
  const some = { 'ce-id': '1', 'ce-source': 'urn:a', 'content-type': 'text/plain' };
  assert.deepEqual(await issuesOf(send('x', some), 400), [
    'ce-specversion: is required',
    'ce-type: is required',
  ]);
});

test('treats an application/json body as binary mode only if all required ce- headers are present', async () => {
  const { 'ce-type': _type, ...some } = attributes('partly', {
    'content-type': 'application/json',
  });
  assert.deepEqual(await issuesOf(send('{"total":1}', some), 400), [
    'events: is required; send all of ce-specversion, ce-id, ce-source and ce-type to describe one event in headers',
  ]);
  const all = { ...some, 'ce-type': 't' };
  const { eventIds } = await accepted(send('{"events":[],"total":1}', all));
  assert.deepEqual(eventIds, ['partly']);
});

test('rejects a Gatehouse batch sent with the ce- headers of a single event', async () => {
  const headers = attributes('both', { 'content-type': 'application/json' });
  const problem =
    'body: is a batch of events, but the headers describe one event; remove the ce- headers or send the data of one event';
  for (const body of ['{"events":[]}', `{"events":[{}],"auth":{"apiKey":"${key}"}}`])
    assert.deepEqual(await issuesOf(send(body, headers), 400), [problem]);
});

test('rejects malformed JSON in binary mode with 400', async () => {
  for (const body of ['{', '{"a":1}}', "{'a':1}", Buffer.from([0x22, 0xff, 0x22]), '\ufeff1']) {
    const answer = await send(body, attributes('malformed', { 'content-type': 'a/b+json' }));
    assert.equal(answer.status, 400, answer.body);
    assert.match(answer.body, /"http.malformed-json"/);
  }
});

test('returns 400 for a body that does not match its event format', async () => {
  const one = JSON.stringify(makeEvent());
  const issues = async (body: string, type: string) =>
    issuesOf(send(body, { 'content-type': type }), 400);
  assert.deepEqual(await issues(`[${one}]`, ONE), [
    'body: must be one event; send an array as application/cloudevents-batch+json',
  ]);
  assert.deepEqual(await issues('"x"', ONE), ['body: must be an object']);
  const batch = `{"events":[${one}]}`;
  assert.deepEqual(await issues(batch, ONE), [
    'body: must be one event; send an object with `events` as application/json',
  ]);
  assert.deepEqual(await issues('1', BATCH), ['body: must be an array of events']);
  assert.deepEqual(await issues(one, BATCH), [
    'body: must be an array of events; send one event as application/cloudevents+json',
  ]);
  assert.deepEqual(await issues(batch, BATCH), [
    'body: must be an array of events; send an object with `events` as application/json',
  ]);
  assert.deepEqual(await issues(one, 'application/json'), [
    'events: is required; send one event as application/cloudevents+json',
  ]);
  assert.deepEqual(await issues(`[${Array(101).fill(one).join()}]`, BATCH), [
    'body: must have at most 100 items, but has 101',
  ]);
  const { processed } = await accepted(
    send(`[${Array(100).fill(one).join()}]`, { 'content-type': BATCH }),
  );
  assert.equal(processed, 100);
});

test('every JSON format accepts an `auth` member in the event and does not store it', async () => {
  const before = (await readFeed(client, key)).resume;
  const auth = { apiKey: key };
  const [good, bad] = [makeEvent({ id: 'with auth', auth }), makeEvent({ auth: { apiKey: 'x' } })];
  const { eventIds, failed } = await accepted(
    send(JSON.stringify([good, bad]), { 'content-type': BATCH }, ''),
  );
  assert.deepEqual([eventIds, failed], [['with auth'], 1]);
  const one = JSON.stringify(makeEvent({ id: 'one with auth', auth }));
  await accepted(send(one, { 'content-type': ONE }, ''));
  const { items } = await readFeed(client, key, before);
  assert.deepEqual(
    items.map(({ event }) => event['id']),
    ['with auth', 'one with auth'],
  );
  assert.ok(items.every(({ event }) => !('auth' in event)));
  const plain = attributes('nobody', { 'content-type': 'text/plain' });
  assert.equal((await send('x', plain, '')).status, 401);
  assert.equal((await send('[]', { 'content-type': BATCH }, '')).status, 401);
});

test('every format accepts a body of 8 MiB and rejects a body that is one byte longer', async () => {
  const limit = 8 * 1024 * 1024;
  const fill = (bytes: number, id: string, before: string, after: string) => {
    const event = (data: string) => before + JSON.stringify(makeEvent({ id, data })) + after;
    return event('x'.repeat(bytes - event('').length));
  };
  const requests = (bytes: number): readonly (readonly [string, Headers])[] => [
    [fill(bytes, 'large-batch', '[', ']'), { 'content-type': BATCH }],
    [fill(bytes, 'large-one', '', ''), { 'content-type': ONE }],
    ['"'.repeat(bytes), attributes('large-text', { 'content-type': 'text/plain' })],
    ['x'.repeat(bytes), attributes('large-bytes', { 'content-type': 'image/png' })],
  ];
  for (const [body, headers] of requests(limit + 1))
    assert.equal((await send(body, headers)).status, 413);
  for (const [body, headers] of requests(limit)) {
    const { success } = await accepted(send(body, headers));
    assert.equal(success, true);
  }
});
