import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { processorMs } from '../../../tests/support/processor-ms.ts';
import { readBatch } from './batch.rules.ts';
import { MAX_EVENT_DEPTH } from './batch-layout.rules.ts';

const EVENT = '{"id":"1","source":"urn:shop","specversion":"1.0","type":"order.paid"}';
const SECRET = 'gh_0123456789';

const read = (text: string) => readBatch(Buffer.from(text));
const readOne = (event: string) => read(`{"events":[${event}]}`).events[0];
const withMembers = (members: string) => `${EVENT.slice(0, -1)},${members}}`;

function refusal(text: string | Uint8Array): ApiError {
  try {
    readBatch(typeof text === 'string' ? Buffer.from(text) : text);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, 400);
    return error;
  }
  throw new assert.AssertionError({ message: 'the body was accepted' });
}

const NOT_AN_ARRAY =
  'body: must be an object with `events`; send an array as application/cloudevents-batch+json';

const wholeRequest: readonly (readonly [string, readonly string[]])[] = [
  ['null', ['body: must be an object']],
  ['[]', [NOT_AN_ARRAY]],
  ['"events"', ['body: must be an object']],
  [`[${EVENT}]`, [NOT_AN_ARRAY]],
  [EVENT, ['events: is required; send one event as application/cloudevents+json']],
  ['{}', ['events: is required']],
  ['{"events":null}', ['events: must be an array']],
  ['{"events":{}}', ['events: must be an array']],
  ['{"event":[]}', ['event: unknown member (did you mean events?)', 'events: is required']],
  ['{"events":[],"spaceId":"x"}', ['spaceId: unknown member']],
  ['{"events":[],"__proto__":{"auth":{}}}', ['__proto__: unknown member']],
  ['{"events":[],"events":[]}', ['events: is given twice']],
  ['{"events":[],"\\u0065vents":[]}', ['events: is given twice']],
  ['{"events":[],"auth":{},"auth":{}}', ['auth: is given twice']],
  ['{"events":[],"auth":null}', ['auth: must be an object']],
  ['{"events":[],"auth":"x"}', ['auth: must be an object']],
  ['{"events":[],"auth":{"apiKey":1}}', ['auth.apiKey: must be a string']],
  ['{"events":[],"auth":{"apikey":"x"}}', ['auth.apikey: unknown member (did you mean apiKey?)']],
  ['{"events":[],"auth":{"apiKey":"x","apiKey":"y"}}', ['auth.apiKey: is given twice']],
  ['{"events":[],"auth":{"a":{"b":1,"b":2}}}', ['auth.a: unknown member']],
  [
    '{"x":1,"events":{},"auth":{"apiKey":null,"key":1}}',
    [
      'x: unknown member',
      'events: must be an array',
      'auth.apiKey: must be a string',
      'auth.key: unknown member (did you mean apiKey?)',
    ],
  ],
];

for (const [text, issues] of wholeRequest) {
  test(`rejects the request ${text}`, () => {
    const error = refusal(text);
    assert.equal(error.code, 'events.invalid');
    assert.deepEqual(
      error.issues?.map((issue) => issue.message),
      issues,
    );
  });
}

test('accepts 0, 1 and 100 events and rejects 101', () => {
  const batch = (count: number) => `{"events":[${Array(count).fill(EVENT).join()}]}`;
  for (const count of [0, 1, 100]) {
    const { events } = read(batch(count));
    assert.deepEqual(
      events.map((event) => event.valid && event.index),
      [...Array(count).keys()],
    );
  }
  const [issue] = refusal(batch(101)).issues ?? [];
  assert.equal(issue?.message, 'events: must have at most 100 items, but has 101');
  refusal(`{"events":[${Array(1_000_000).fill('0').join()}]}`);
});

test('reads the auth of a request whether auth precedes or follows events', () => {
  for (const text of [
    `{"auth":{"apiKey":"${SECRET}"},"events":[]}`,
    `{"events":[],"auth":{"apiKey":"${SECRET}"}}`,
  ]) {
    const { auth, events } = read(text);
    assert.deepEqual({ auth, events }, { auth: { apiKey: SECRET }, events: [] });
  }
  assert.equal(read('{"events":[]}').auth, null);
});

test('an event that is not an object fails without affecting the others', () => {
  const { events } = read(`{"events":[${EVENT},null,1,"x",true,[${EVENT}],${EVENT}]}`);
  assert.deepEqual(
    events.map((event) => event.problems),
    [[], ...Array(5).fill(['event: must be an object']), []],
  );
});

test('decodes escapes in ID and source', () => {
  const event = readOne(
    '{"\\u0069d":"\\u00e9\\/","source":"urn:\\u0061","specversion":"1.0","type":"t"}',
  );
  assert.ok(event?.valid);
  assert.deepEqual([event.id, event.source], ['é/', 'urn:a']);
});

const repeated: readonly (readonly [string, string])[] = [
  ['"id":"2"', 'id: is given twice'],
  ['"\\u0069d":"1"', 'id: is given twice'],
  ['"data":1,"data":1', 'data: is given twice'],
  ['"x":1,"x":2,"x":3', 'x: is given twice'],
  ['"__proto__":1,"__proto__":2', '__proto__: is given twice'],
  ['"auth":{"apiKey":"a","apiKey":"b"}', 'auth.apiKey: is given twice'],
  ['"metadata":{"sender":1,"sender":"b"}', 'metadata.sender: is given twice'],
];

for (const [members, problem] of repeated) {
  test(`rejects an event with ${members}: ${problem}`, () => {
    const { events } = read(`{"events":[${withMembers(members)},${EVENT}]}`);
    assert.deepEqual(events[0]?.problems, [problem]);
    assert.equal(events[1]?.valid, true);
  });
}

test('allows duplicate member names inside data and extensions', () => {
  assert.equal(
    readOne(withMembers('"data":{"a":1,"a":{"b":1,"b":2}},"ext":{"id":1,"id":2}'))?.valid,
    true,
  );
});

test('__proto__ in an event neither adds members nor changes a prototype', () => {
  const missing = readOne(
    '{"__proto__":{"id":"1","source":"urn:a","specversion":"1.0","type":"t"}}',
  );
  assert.equal(missing?.problems.length, 4);
  assert.equal(readOne(withMembers('"__proto__":{"auth":{"apiKey":"x"}}'))?.auth, null);
  assert.equal(({} as { auth?: unknown }).auth, undefined);
});

test('reads the auth of valid and invalid events', () => {
  const auth = `"auth":{"apiKey":"${SECRET}"}`;
  assert.deepEqual(readOne(withMembers(auth))?.auth, { apiKey: SECRET });
  assert.deepEqual(readOne(withMembers(`${auth},"id":"2"`))?.auth, { apiKey: SECRET });
  assert.deepEqual(readOne(`{${auth}}`)?.auth, { apiKey: SECRET });
});

test('does not use the auth of an event if that auth is malformed or duplicate', () => {
  for (const auth of [
    '"auth":null',
    '"auth":{"apiKey":1}',
    '"auth":{"apiKey":"a","key":"b"}',
    '"auth":{"apiKey":"a"},"\\u0061uth":{"apiKey":"b"}',
    '"auth":{"apiKey":"a","apiKey":"b"}',
  ]) {
    const event = readOne(withMembers(auth));
    assert.equal(event?.valid, false);
    assert.equal(event?.auth, null, auth);
  }
});

test('descriptions of problems never contain a credential', () => {
  const event = withMembers(`"auth":{"apiKey":["${SECRET}"],"${'key'}":"${SECRET}"}`);
  assert.doesNotMatch(JSON.stringify(readOne(event)?.problems), new RegExp(SECRET));
  const error = refusal(`{"events":1,"auth":{"apiKey":["${SECRET}"]}}`);
  assert.doesNotMatch(JSON.stringify(error.toBody()), new RegExp(SECRET));
});

test(`accepts events nested ${MAX_EVENT_DEPTH} levels deep and rejects only deeper events`, () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const inMember = (name: string, depth: number) => withMembers(`"${name}":${nested(depth)}`);
  assert.equal(readOne(inMember('data', MAX_EVENT_DEPTH - 1))?.valid, true);
  const inMetadata = (depth: number) => withMembers(`"metadata":{"x":${nested(depth)}}`);
  assert.equal(readOne(inMetadata(MAX_EVENT_DEPTH - 2))?.valid, true);
  const tooDeep = [
    inMember('data', MAX_EVENT_DEPTH),
    inMember('x', 5000),
    inMetadata(MAX_EVENT_DEPTH - 1),
  ];
  const { events } = read(`{"events":[${tooDeep.join()},${EVENT}]}`);
  assert.deepEqual(
    events.map((event) => event.problems),
    [...Array(3).fill([`event: is nested deeper than ${MAX_EVENT_DEPTH} levels`]), []],
  );
});

test('rejects a body that is truncated at any byte', () => {
  const event = withMembers(
    '"subject":"Gr\\u00f6ße","auth":{"apiKey":"k"},"data":{"n":[1e400,true,null]}',
  );
  const body = Buffer.from(`{"events": [${event}], "auth": {"apiKey": "k"}}`);
  for (let end = 0; end < body.length; end++) {
    assert.equal(refusal(body.subarray(0, end)).code, 'http.malformed-json');
  }
  assert.equal(readBatch(body).events[0]?.valid, true);
});

test('rejects hostile bodies as malformed with a second of processor time', () => {
  const bodies = [
    '',
    '\ufeff{"events":[]}',
    '['.repeat(4_000_000),
    '['.repeat(4_000_000) + ']'.repeat(4_000_000),
    `{"events":[${'{"data":'.repeat(500_000)}`,
    '{"events":[]}]',
  ].map((text) => Buffer.from(text));
  for (const body of [...bodies, Uint8Array.of(0x7b, 0xff, 0x7d)]) {
    const start = processorMs();
    assert.equal(refusal(body).code, 'http.malformed-json');
    assert.ok(processorMs() - start < 1000);
  }
});
