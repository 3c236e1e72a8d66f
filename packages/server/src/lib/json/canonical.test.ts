import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { writtenJson } from './arbitraries.ts';
import { canonicalJson, exactNumber, NotCanonical } from './canonical.ts';

const canonical = (text: string) => canonicalJson(Buffer.from(text));

test('formats the example of RFC 8785, section 3.2.2', () => {
  const sample = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const bytes =
    '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d';
  assert.equal(Buffer.from(canonical(sample)).toString('hex'), bytes);
});

test('sorts the members of the example of RFC 8785, section 3.2.3', () => {
  const sample = String.raw`{
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  const values = [...canonical(sample).matchAll(/:"([^"]+)"/g)].map(([, value]) => value);
  assert.deepEqual(values, [
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

/** IEEE 754 doubles in hexadecimal and their canonical form. */
const NUMBERS = `
  0000000000000000 0
  8000000000000000 0
  0000000000000001 5e-324
  8000000000000001 -5e-324
  7fefffffffffffff 1.7976931348623157e+308
  ffefffffffffffff -1.7976931348623157e+308
  4340000000000000 9007199254740992
  c340000000000000 -9007199254740992
  4430000000000000 295147905179352830000
  44b52d02c7e14af5 9.999999999999997e+22
  44b52d02c7e14af6 1e+23
  44b52d02c7e14af7 1.0000000000000001e+23
  444b1ae4d6e2ef4e 999999999999999700000
  444b1ae4d6e2ef4f 999999999999999900000
  444b1ae4d6e2ef50 1e+21
  3eb0c6f7a0b5ed8c 9.999999999999997e-7
  3eb0c6f7a0b5ed8d 0.000001
  41b3de4355555553 333333333.3333332
  41b3de4355555554 333333333.33333325
  41b3de4355555555 333333333.3333333
  41b3de4355555556 333333333.3333334
  41b3de4355555557 333333333.33333343
  becbf647612f3696 -0.0000033333333333333333
  43143ff3c1cb0959 1424953923781206.2
`;

test('formats the numbers of RFC 8785, appendix B', () => {
  for (const line of NUMBERS.trim().split('\n')) {
    const [hex = '', written = ''] = line.trim().split(' ');
    const value = Buffer.from(hex, 'hex').readDoubleBE();
    assert.equal(canonical(Object.is(value, -0) ? '-0' : String(value)), written, hex);
    if (Math.abs(value) < 2 ** 53) assert.equal(canonical(value.toExponential(20)), written, hex);
  }
});

test('rounds a number to the nearest double and rejects ambiguous numbers beyond 2^53', () => {
  for (const [text, written] of [
    ['0.10000000000000001', '0.1'],
    ['-0.0', '0'],
    ['1.0e2', '100'],
    ['9007199254740991.4', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740992.000e0', '9007199254740992'],
    ['1000000000000000000000000', '1e+24'],
    ['0.01e26', '1e+24'],
    ['1e-999', '0'],
  ] as const)
    assert.equal(canonical(text), written, text);
  for (const text of [
    '9007199254740993',
    '-9007199254740993',
    '9007199254740992.5',
    '1180591620717411303424',
    '1e400',
    '-1e400',
    `1${'0'.repeat(400)}`,
    `${'1'.repeat(100_000)}`,
  ])
    assert.throws(() => canonical(`{"data":[0,${text}]}`), {
      name: 'NotCanonical',
      message: 'data[1] is a number that a double cannot represent; send it as a string',
    });
});

test('formats exact numbers beyond 2^53 independently of their notation', () => {
  for (const [exact, ...notations] of [
    ['42', '42', '42.0', '4.2e1'],
    ['9007199254740992', '9007199254740992', '9007199254740992.0'],
    ['9007199254740993', '9007199254740993', '9007199254740993.0', '9.007199254740993E+15'],
    ['-12345678901234567810', '-12345678901234567810', '-1234567890123456781e1'],
    ['90071992547409925e-1', '9007199254740992.5', '9007199254740992.50'],
    ['1e+24', '1000000000000000000000000', '0.01e26'],
    ['1e400', '1e400', `1${'0'.repeat(400)}`],
    ['1e999999999', '1e999999999'],
  ] as const)
    for (const text of notations) assert.equal(exactNumber(text), exact, text);
});

test('rejects lone surrogates, and duplicate names in any notation', () => {
  for (const text of ['{"a":1,"a":1}', '{"a":1,"b":2,"\\u0061":1}'])
    assert.throws(() => canonical(`[${text}]`), { message: '[0].a is given twice' });
  for (const text of ['"\\ud800"', '{"\\udc00":1}', '"\\udc00\\ud800"'])
    assert.throws(() => canonical(text), NotCanonical);
  assert.equal(canonical('"\\ud83d\\ude00"'), '"😀"');
});

/** A reference implementation: the ECMAScript example of the RFC. */
function reference(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  const object = value as Record<string, unknown>;
  const names = Object.keys(object).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${reference(object[name])}`).join(',')}}`;
}

test('the canonical form depends only on the value, not on its notation', () => {
  let formed = 0;
  fc.assert(
    fc.property(writtenJson, ({ text, value: meant }) => {
      try {
        assert.equal(canonical(text), reference(meant));
        formed++;
      } catch (error) {
        if (!(error instanceof NotCanonical)) throw error;
      }
    }),
    { numRuns: roundsOf(600, 3000) },
  );
  assert.ok(formed > 100, 'too few texts have a canonical form');
});

const value = fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter });

test('matches the reference implementation for any value', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2, '\t'), (any, space) => {
      const text = JSON.stringify(any, null, space);
      assert.equal(canonical(text), reference(JSON.parse(text)));
    }),
    { numRuns: roundsOf(400, 2000) },
  );
});

test('escapes and the order of members do not change the canonical form', () => {
  const inEscapes = (text: string) =>
    [...Array(text.length).keys()]
      .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  const entries = fc.uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string()), {
    selector: ([name]) => name,
  });
  fc.assert(
    fc.property(entries, (members) => {
      const plain = members.map(
        ([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`,
      );
      const escaped = members.map(([name, text]) => `"${inEscapes(name)}" : "${inEscapes(text)}"`);
      const one = canonical(`{${plain.join(',')}}`);
      assert.equal(canonical(`{ ${escaped.toReversed().join(' ,\n')} }`), one);
      assert.equal(canonical(one), one);
    }),
  );
});
