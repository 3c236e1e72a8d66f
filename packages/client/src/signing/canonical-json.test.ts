import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from './canonical-json.ts';

test('the example of RFC 8785, 3.2.2', () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  };
  assert.equal(
    canonicalJson(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('members are sorted by UTF-16 code units', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
  const value = Object.fromEntries(names.map((name) => [name, 0]));
  assert.deepEqual(Object.keys(JSON.parse(canonicalJson(value))), [
    '1',
    '\r',
    '\u0080',
    '\u00f6',
    '\u20ac',
    '\u{1f600}',
    '\ufb33',
  ]);
});

test('a member that JSON does not contain is omitted', () => {
  assert.equal(canonicalJson({ a: undefined, b: [undefined] }), '{"b":[null]}');
});

for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 'a\ud800', { '\udc00': 1 }])
  test(`${typeof value} without a canonical form is rejected`, () => {
    assert.throws(() => canonicalJson(value), TypeError);
  });
