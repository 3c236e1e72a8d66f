import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBatch } from '../formats/batch.rules.ts';

const GOOD = { id: '1', source: 'urn:shop', specversion: '1.0', type: 'order.paid' };

/** Returns the problems of the valid event with these members changed. `undefined` removes a member. */
function problemsWith(members: Record<string, unknown>): readonly string[] {
  const event = { ...GOOD, ...members };
  const [read] = readBatch(Buffer.from(JSON.stringify({ events: [event] }))).events;
  assert.ok(read);
  assert.equal(read.valid, read.problems.length === 0);
  return read.problems;
}

const LONG = 'x'.repeat(100_000);

const accepted: readonly (readonly [string, Record<string, unknown>])[] = [
  ['required members only', {}],
  ['an id of one character', { id: ' ' }],
  ['a very long id', { id: LONG }],
  ['a very long type', { type: LONG }],
  ['a very long subject', { subject: LONG }],
  ['an id in any script', { id: 'Größe 漢字 😀 \ud83d\ude00' }],
  ['an id that looks like HTML', { id: '<script>"\\' }],
  ['a subject of one character', { subject: 'x' }],
  ['a content type', { datacontenttype: 'application/json; charset=utf-8' }],
  ['a schema', { dataschema: 'https://shop.example/schemas/order#v1' }],
  ['a time without seconds', { time: '2026-03-04T05:06Z' }],
  ['null as data', { data: null }],
  ['a number as data', { data: 0 }],
  ['an array as data', { data: [1, [2]] }],
  ['data with every forbidden character', { data: { '\u0000': '\ud800\uffff\u0007' } }],
  ['data with the names of members', { data: { id: 1, auth: { key: 1 }, time: 'x' } }],
  ['an empty auth', { auth: {} }],
  ['an auth with all members', { auth: { apiKey: 'k', signature: 's', timestamp: '1' } }],
  ['an auth of empty strings', { auth: { apiKey: '' } }],
  ['an empty metadata', { metadata: {} }],
  ['a metadata with all members', { metadata: { sender: 's', version: '1', environment: '' } }],
  ['metadata with a line break', { metadata: { sender: 'a\nb' } }],
  ['metadata with additional members', { metadata: { region: 1, nested: { sender: 1 } } }],
  ['an extension of any type', { a: 1, b: null, c: true, d: { e: ['\u0000'] }, 'x y': '' }],
  [
    'an extension that differs from a member only in case',
    { Time: 1, Data: 1, dataContentType: 1 },
  ],
  ['an extension named like a method', { constructor: 1, toString: 'x', hasOwnProperty: null }],
];

for (const [what, members] of accepted) {
  test(`accepts an event with ${what}`, () => assert.deepEqual(problemsWith(members), []));
}

const strings = ['id', 'source', 'type', 'datacontenttype', 'dataschema', 'subject', 'time'];

for (const member of strings) {
  for (const value of [null, 1, true, {}, ['x'], 1e21]) {
    test(`rejects an event whose ${member} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(problemsWith({ [member]: value }), [`${member}: must be a string`]);
    });
  }
  test(`rejects an event whose ${member} is empty`, () => {
    const [problem] = problemsWith({ [member]: '' });
    assert.match(
      problem ?? '',
      member === 'time' ? /^time: must be a UTC time/ : /: must not be empty$/,
    );
  });
}

for (const member of ['id', 'type', 'subject', 'datacontenttype', 'extension']) {
  const cases: readonly (readonly [string, string])[] = [
    ['a\u0000', 'must not contain a control character (U+0000 at position 1)'],
    ['\u001f', 'must not contain a control character (U+001F at position 0)'],
    ['a\u007f', 'must not contain a control character (U+007F at position 1)'],
    ['a\u0080', 'must not contain a control character (U+0080 at position 1)'],
    ['a\u009f', 'must not contain a control character (U+009F at position 1)'],
    ['a\ud800', 'must not contain a lone surrogate (U+D800 at position 1)'],
    ['\udc00\ud800', 'must not contain a lone surrogate (U+DC00 at position 0)'],
    ['\ufdd0', 'must not contain a noncharacter (U+FDD0 at position 0)'],
    ['\uffff', 'must not contain a noncharacter (U+FFFF at position 0)'],
    ['😀\u{1fffe}', 'must not contain a noncharacter (U+1FFFE at position 2)'],
    ['\u{10ffff}', 'must not contain a noncharacter (U+10FFFF at position 0)'],
  ];
  for (const [value, problem] of cases) {
    test(`rejects an event whose ${member} is the string ${JSON.stringify(value)}`, () => {
      assert.deepEqual(problemsWith({ [member]: value }), [`${member}: ${problem}`]);
    });
  }
  test(`accepts an event whose ${member} contains the characters next to the forbidden ranges`, () => {
    const value = ' ~\u00a0\ud7ff\ue000\ufdcf\ufdf0\ufffd\u{1fffd}\u{20000}';
    assert.deepEqual(problemsWith({ [member]: value }), []);
  });
}

const refused: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ id: undefined }, 'id: is required'],
  [{ source: undefined }, 'source: is required'],
  [{ specversion: undefined }, 'specversion: is required'],
  [{ type: undefined }, 'type: is required'],
  [
    { type: 'gatehouse.audit.link.created' },
    'type: must not start with gatehouse.audit., which is reserved for the audit; choose another type',
  ],
  [
    { type: 'gatehouse.subscription.test' },
    'type: must not start with gatehouse.subscription., which is reserved for subscriptions; choose another type',
  ],
  [{ specversion: '' }, 'specversion: must be "1.0"'],
  [{ specversion: '0.3' }, 'specversion: must be "1.0"'],
  [{ specversion: '1' }, 'specversion: must be "1.0"'],
  [{ specversion: '1.0 ' }, 'specversion: must be "1.0"'],
  [{ specversion: 1.0 }, 'specversion: must be "1.0"'],
  [{ specversion: null }, 'specversion: must be "1.0"'],
  [
    { source: '/orders' },
    'source: must be an absolute URI with a scheme, such as urn:shop:orders or https://shop.example/orders',
  ],
  ...[
    'urn:gatehouse:crawl:0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58',
    `urn:gatehouse:${'0f'.repeat(16)}`,
    'urn:gatehouse:space:0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58',
  ].map((source): [{ source: string }, string] => [
    { source },
    'source: must not be a source of the service itself; choose another source',
  ]),
  [{ dataschema: 'urn:a b' }, 'dataschema: must not contain a space; write %20 (at position 5)'],
  [{ time: '2023-02-29T00:00Z' }, 'time: must be a date that exists: 2023-02 has 28 days'],
  [{ auth: null }, 'auth: must be an object'],
  [{ auth: 'gh_key' }, 'auth: must be an object'],
  [{ auth: ['gh_key'] }, 'auth: must be an object'],
  [{ auth: { apiKey: 1 } }, 'auth.apiKey: must be a string'],
  [{ auth: { signature: null } }, 'auth.signature: must be a string'],
  [{ auth: { timestamp: 1790000000 } }, 'auth.timestamp: must be a string'],
  [{ auth: { key: 'x' } }, 'auth.key: unknown member (did you mean apiKey?)'],
  [{ auth: { colour: 'x' } }, 'auth.colour: unknown member'],
  [{ metadata: null }, 'metadata: must be an object'],
  [{ metadata: 'x' }, 'metadata: must be an object'],
  [{ metadata: [] }, 'metadata: must be an object'],
  [{ metadata: { sender: 1 } }, 'metadata.sender: must be a string'],
  [{ metadata: { version: null } }, 'metadata.version: must be a string'],
  [{ metadata: { environment: {} } }, 'metadata.environment: must be a string'],
  [{ metadata: { sender: '\u0000' } }, 'metadata.sender: must not contain U+0000'],
  [{ metadata: { version: '\ud800' } }, 'metadata.version: must not contain a lone surrogate'],
  [{ metadata: { region: 'a\u0000' } }, 'metadata.region: must not contain U+0000'],
];

for (const [members, problem] of refused) {
  test(`rejects an event with ${JSON.stringify(members)}: ${problem}`, () => {
    assert.deepEqual(problemsWith(members), [problem]);
  });
}

test('rejects an unescaped U+007F, which JSON allows', () => {
  const text = JSON.stringify({ events: [{ ...GOOD, id: 'a\u007f' }] });
  assert.ok(text.includes('\u007f'));
  assert.equal(readBatch(Buffer.from(text)).events[0]?.valid, false);
});

test('reports all problems of an event', () => {
  const members = {
    id: 1,
    source: 'x',
    specversion: '2',
    type: '',
    time: 'now',
    metadata: 1,
    auth: 1,
  };
  const named = problemsWith(members).map((problem) => problem.split(':')[0]);
  assert.deepEqual(named, ['id', 'source', 'specversion', 'type', 'time', 'metadata', 'auth']);
});

test('reports at most 100 problems of an event', () => {
  const extensions = Array.from({ length: 20_000 }, (_, index) => [`x${index}`, '\u0000']);
  assert.equal(problemsWith(Object.fromEntries(extensions)).length, 100);
});
