import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { IngestResult } from '@gatehouse/contract';
import { feedIds, makeEvent } from '../support/events/events.ts';
import { assertAccepted, assertRejected, postRawEvents } from '../support/events/raw-events.ts';
import type { RawAnswer } from '../support/http/raw-http.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, key, service, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const LIMIT = 8 * 1024 * 1024;
const SUPPORTED =
  'application/json, application/cloudevents-batch+json, application/cloudevents+json';
const JSON_TYPE = { 'content-type': 'application/json' };

type Body = string | Uint8Array | readonly Uint8Array[];

function send(body: Body, headers: Record<string, string> = JSON_TYPE): Promise<RawAnswer> {
  const all = { authorization: `Bearer ${key}`, ...headers };
  return postRawEvents({ port: service.port, headers: all, body });
}

function bodyOf(bytes: number, id: string): Buffer {
  const empty = JSON.stringify({ events: [makeEvent({ id, data: '' })] });
  const data = 'x'.repeat(bytes - empty.length);
  return Buffer.from(JSON.stringify({ events: [makeEvent({ id, data })] }));
}

function chunksOf(body: Buffer): Buffer[] {
  const size = 1_000_003;
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function batchText(data: string): string {
  return `{"events":[${JSON.stringify(makeEvent()).slice(0, -1)},"data":${data}}]}`;
}

test('accepts a body of exactly 8 MiB, sent with Content-Length or chunked', async () => {
  const [whole, chunked] = [bodyOf(LIMIT, 'whole'), bodyOf(LIMIT, 'chunked')];
  assert.equal(whole.length, LIMIT);
  await assertAccepted(send(whole));
  await assertAccepted(send(chunksOf(chunked)));
});

test('returns 413 for a body that is one byte longer than 8 MiB and stores nothing', async () => {
  const body = bodyOf(LIMIT + 1, 'too large');
  await assertRejected(send(body), 413, 'http.body-too-large');
  await assertRejected(send(chunksOf(body)), 413, 'http.body-too-large');
  const spaces = Buffer.concat([bodyOf(1000, 'too large'), Buffer.alloc(LIMIT, ' ')]);
  await assertRejected(send(spaces), 413, 'http.body-too-large');
  assert.ok(!(await feedIds(client, key)).includes('too large'));
});

test('returns 400 with the position of the error if a body is not valid UTF-8 JSON', async () => {
  const good = bodyOf(300, 'broken');
  const invalid = Buffer.from(good);
  invalid[250] = 0xff;
  const refusals: [Body, RegExp][] = [
    ['', /The body is empty/],
    [[], /The body is empty/],
    [' ', /ends too early/],
    ['{', /ends too early at line 1, column 2/],
    ['{"events":[', /ends too early/],
    [good.subarray(0, 200), /ends too early/],
    [`${good}x`, /unexpected text follows the value at line 1, column 301/],
    ["{'events':[]}", /double quotes/],
    ['{"events":[],}', /double quotes/],
    ['{"events":[NaN]}', /a value is expected/],
    [invalid, /not valid UTF-8, near byte 250/],
    [Buffer.from('{"events":[]}', 'utf16le'), /not valid JSON/],
    [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good]), /byte order mark/],
    [gzipSync(good), /not valid UTF-8/],
    [Buffer.alloc(1000), /not valid JSON/],
  ];
  for (const [body, message] of refusals) {
    const { body: text } = await assertRejected(send(body), 400, 'http.malformed-json');
    assert.match(text, message);
  }
});

test('returns 400 with all problems if a JSON body is not a batch', async () => {
  const refusals: [string, string[]][] = [
    ['null', ['body: must be an object']],
    [
      '[]',
      [
        'body: must be an object with `events`; send an array as application/cloudevents-batch+json',
      ],
    ],
    ['"events"', ['body: must be an object']],
    ['{}', ['events: is required']],
    ['{"events":null}', ['events: must be an array']],
    ['{"events":{}}', ['events: must be an array']],
    ['{"events":"[]"}', ['events: must be an array']],
    ['{"Events":[]}', ['Events: unknown member (did you mean events?)', 'events: is required']],
    ['{"events":[],"events":[]}', ['events: is given twice']],
    ['{"events":[],"__proto__":{}}', ['__proto__: unknown member']],
    [
      '{"evnts":1,"auth":7,"events":3}',
      [
        'evnts: unknown member (did you mean events?)',
        'events: must be an array',
        'auth: must be an object',
      ],
    ],
  ];
  for (const [body, expected] of refusals) {
    const answer = await assertRejected(send(body), 400, 'events.invalid');
    const { issues } = JSON.parse(answer.body) as { issues: { message: string }[] };
    assert.deepEqual(
      issues.map(({ message }) => message),
      expected,
    );
  }
});

test('nesting beyond 500 levels rejects the event, and nesting beyond 10,000 levels rejects the request', async () => {
  await assertAccepted(send(batchText(nested(400))));
  const { body } = await send(batchText(nested(600)));
  const result = JSON.parse(body) as IngestResult;
  assert.deepEqual(result.errors, [{ index: 0, error: 'event: is nested deeper than 500 levels' }]);
  const deep = await assertRejected(send(batchText(nested(100_000))), 400, 'http.malformed-json');
  assert.match(deep.body, /nested deeper than 10000 levels/);
  await assertRejected(send('['.repeat(LIMIT)), 400, 'http.malformed-json');
  await assertRejected(send('{"a":'.repeat(1_000_000)), 400, 'http.malformed-json');
  await assertRejected(send('['.repeat(50_000)), 400, 'http.malformed-json');
});

test('accepts all spellings of the content type for JSON in UTF-8', async () => {
  const types = [
    'application/json',
    'APPLICATION/JSON',
    'Application/Json; Charset=UTF-8',
    'application/json;charset=utf-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json ; charset=utf-8',
    'application/json; profile=x',
  ];
  for (const type of types) await assertAccepted(send(bodyOf(300, type), { 'content-type': type }));
});

test('rejects other content types with 415 and lists the supported ones', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/cloudevents',
    'application/cloudevents+xml',
    'application/cloudevents+avro',
    'application/cloudevents-batch+protobuf',
    'application/cloudevents+json; charset=utf-16',
    'application/cloudevents-batch+json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/json-seq',
    'json',
    '*/*',
    ';',
    '',
  ];
  for (const type of types) {
    const answer = await assertRejected(
      send(bodyOf(300, 'refused'), { 'content-type': type }),
      415,
      'http.media-type-unsupported',
    );
    assert.equal(answer.headers['accept'], SUPPORTED, type);
  }
  await assertRejected(send(bodyOf(300, 'refused'), {}), 415, 'http.media-type-unsupported');
  const binary = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': 'urn:a', 'ce-type': 't' };
  for (const type of ['application/cloudevents+avro', 'text', 'a/json; charset=utf-16'])
    await assertRejected(
      send('<a/>', { ...binary, 'content-type': type }),
      415,
      'http.media-type-unsupported',
    );
  assert.ok(!(await feedIds(client, key)).includes('refused'));
});
