import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEventArray, readOneEvent } from '../formats/batch.rules.ts';

/**
 * The cases come from the CloudEvents conformance sets (github.com/cloudevents/conformance, format/json) and from the
 * examples in the specification (CloudEvents 1.0.2, JSON format, sections 2.3, 3.2 and 4.3).
 */
const MINIMAL = { specversion: '1.0', id: '1', type: 'io.cloudevents.test', source: 'urn:test' };

function problemsOf(members: Readonly<Record<string, unknown>>, text?: string) {
  const body = text ?? JSON.stringify({ ...MINIMAL, ...members });
  return readOneEvent(Buffer.from(body)).events[0]?.problems;
}

const good: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['required attributes only', {}],
  [
    'null for optional attributes',
    { datacontenttype: null, dataschema: null, subject: null, time: null },
  ],
  ['data and null as data_base64', { data: 1, data_base64: null }],
  ['null for an extension', { unsetextension: null }],
  ['null for a credential', { auth: null }],
  ['null as data', { data: null }],
  [
    'a content type without data',
    { datacontenttype: 'text/plain', dataschema: 'https://a.example/s' },
  ],
  ['a time in UTC', { time: '2018-04-05T17:31:00.000000000Z' }],
  ['a time east of UTC', { time: '2018-04-05T18:31:00+01:00' }],
  ['a time west of UTC', { time: '2018-04-05T16:31:00-01:00' }],
  ['a source that is a fragment', { source: '#fragment' }],
  ['a source that is a path', { source: '/mycontext/subcontext' }],
  ['a source that is a relative path', { source: 'cloudevents/spec/pull/123' }],
  ['a source without a scheme', { source: '//authority/path?q#f' }],
  ['a source of digits', { source: '1-555-123-4567' }],
  ['a mailto source', { source: 'mailto:cncf-wg-serverless@lists.cncf.io' }],
  ['text as data', { datacontenttype: 'text/plain', data: 'Simple text' }],
  ['XML as data', { datacontenttype: 'application/xml', data: '<much wow="xml"/>' }],
  ['binary data', { datacontenttype: 'application/vnd.apache.thrift.binary', data_base64: 'TWE=' }],
  ['empty binary data', { data_base64: '' }],
  ['a whole-number extension', { extinteger: 10 }],
  ['the smallest whole number', { extinteger: -2147483648 }],
  ['the largest whole number', { extinteger: 2147483647 }],
  ['a boolean extension', { extboolean: true }],
  ['string extensions', { extstring: 'text', exturiref: '//authority/path', extbinary: 'TWE=' }],
  ['an empty string extension', { extstring: '' }],
  ['an extension of digits', { 1: 'x' }],
  ['an extension with a long name', { averyveryveryverylongname: 'x' }],
  ['an extension named like a property of Object.prototype', { constructor: 'x', tostring: 'y' }],
];

for (const [what, members] of good) {
  test(`accepts an event with ${what}`, () => assert.deepEqual(problemsOf(members), []));
}

const WHOLE = 'must be a whole number from -2147483648 to 2147483647';
const NAME = 'must have a name of lower-case letters a-z and digits only';

const bad: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
  [{ specversion: undefined }, 'specversion: is required'],
  [{ id: undefined }, 'id: is required'],
  [{ type: undefined }, 'type: is required'],
  [{ source: undefined }, 'source: is required'],
  [{ specversion: null }, 'specversion: is required'],
  [{ id: null }, 'id: is required'],
  [
    { type: 'gatehouse.audit.' },
    'type: must not start with gatehouse.audit., which is reserved for the audit; choose another type',
  ],
  [
    { type: 'gatehouse.subscription.test' },
    'type: must not start with gatehouse.subscription., which is reserved for subscriptions; choose another type',
  ],
  [{ specversion: '' }, 'specversion: must be "1.0"'],
  [{ specversion: '0.9' }, 'specversion: must be "1.0"'],
  [{ id: '' }, 'id: must not be empty'],
  [{ type: '' }, 'type: must not be empty'],
  [{ source: '' }, 'source: must not be empty'],
  [{ subject: '' }, 'subject: must not be empty'],
  [{ dataschema: '' }, 'dataschema: must not be empty'],
  [{ id: 25 }, 'id: must be a string'],
  [{ id: { xyz: 'abc' } }, 'id: must be a string'],
  [{ id: 'a\nb' }, 'id: must not contain a control character (U+000A at position 1)'],
  [{ subject: '\ud800' }, 'subject: must not contain a lone surrogate (U+D800 at position 0)'],
  [
    { extstring: '\u0085' },
    'extstring: must not contain a control character (U+0085 at position 0)',
  ],
  [{ source: 'a b' }, 'source: must not contain a space; write %20 (at position 1)'],
  ...[
    'urn:gatehouse:crawl:0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58',
    `urn:gatehouse:${'0f'.repeat(16)}`,
    'urn:gatehouse:space:0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58',
  ].map((source): [{ source: string }, string] => [
    { source },
    'source: must not be a source of the service itself; choose another source',
  ]),
  [
    { source: '1a:b' },
    'source: must have a scheme before its first ":", or no ":" before its first "/", "?" or "#"',
  ],
  [{ datacontenttype: 'xyz' }, 'datacontenttype: must be a media type, such as application/json'],
  [{ datacontenttype: '' }, 'datacontenttype: must be a media type, such as application/json'],
  [{ MyExtension: 'bad' }, `MyExtension: ${NAME}`],
  [{ 'my.extension': 'bad' }, `my.extension: ${NAME}`],
  [{ 'my.extension': 1.5 }, `my.extension: ${NAME}`],
  [{ '': 'bad' }, `"": ${NAME}`],
  [{ toString: null }, `toString: ${NAME}`],
  [{ metadata: { sender: 'crm' } }, 'metadata: must be a string, a boolean or a whole number'],
  [{ list: [] }, 'list: must be a string, a boolean or a whole number'],
  [{ extinteger: 1.5 }, `extinteger: ${WHOLE}`],
  [{ extinteger: 2147483648 }, `extinteger: ${WHOLE}`],
  [{ extinteger: -2147483649 }, `extinteger: ${WHOLE}`],
  [{ data: 'text', data_base64: 'TWE=' }, 'data_base64: must not be combined with data'],
  [{ data: null, data_base64: 'TWE=' }, 'data_base64: must not be combined with data'],
  [{ data_base64: 1 }, 'data_base64: must be a string'],
  [{ auth: 'key' }, 'auth: must be an object'],
  [{ auth: { key: 'x' } }, 'auth.key: unknown member (did you mean apiKey?)'],
];

for (const [members, problem] of bad) {
  test(`rejects an event with ${JSON.stringify(members)}: ${problem}`, () => {
    assert.deepEqual(problemsOf(members), [problem]);
  });
}

for (const time of ['lunchtime', '2018-04-05T18:31Z', '2018-04-05T18:31:00+05', 7]) {
  test(`rejects the time ${time}`, () => assert.match(problemsOf({ time })?.[0] ?? '', /^time: /));
}

test('rejects whole numbers written with a fraction or an exponent', () => {
  const fails = (number: string) =>
    problemsOf({}, `{"n":${number},${JSON.stringify(MINIMAL).slice(1)}`)?.[0];
  for (const number of ['0', '-0', '7', '-7']) assert.equal(fails(number), undefined, number);
  for (const number of ['1.0', '1e2', '1E0', '0.0', '-0.0', '10e-1'])
    assert.equal(fails(number), `n: ${WHOLE}, without fraction or exponent`, number);
});

test('rejects a duplicate member', () => {
  const text = `{"ext":1,"ext":1,${JSON.stringify(MINIMAL).slice(1)}`;
  assert.deepEqual(problemsOf({}, text), ['ext: is given twice']);
});

test('accepts an empty batch and a batch with a duplicate event', () => {
  const read = (events: readonly unknown[]) =>
    readEventArray(Buffer.from(JSON.stringify(events))).events.map(({ problems }) => problems);
  assert.deepEqual(read([]), []);
  assert.deepEqual(read([MINIMAL, MINIMAL]), [[], []]);
  assert.deepEqual(read(['not an object', { ...MINIMAL, specversion: '0.9' }, MINIMAL]), [
    ['event: must be an object'],
    ['specversion: must be "1.0"'],
    [],
  ]);
});

test('accepts an event with 20,000 numeric extensions', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, at]));
  assert.deepEqual(problemsOf(many), []);
});
