import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { jsonText } from './arbitraries.ts';
import { findSyntaxError } from './syntax-error.ts';

const cases: readonly (readonly [string, string, number, number])[] = [
  ['', 'it ends too early', 1, 1],
  [' \n ', 'it ends too early', 2, 2],
  ['{"a":1,}', 'a member name in double quotes is expected', 1, 8],
  ["{'a':1}", 'a member name in double quotes is expected', 1, 2],
  ['{"a" 1}', '":" is expected', 1, 6],
  ['{"a":1\n "b":2}', '"," or "}" is expected', 2, 2],
  ['[1,]', 'a value is expected', 1, 4],
  ['[1}', '"," or "]" is expected', 1, 3],
  ['[01]', '"," or "]" is expected', 1, 3],
  ['{} {}', 'unexpected text follows the value', 1, 4],
  ['["a\nb"]', 'a control character is not escaped', 1, 4],
  ['["\\x"]', 'an unknown escape occurs', 1, 4],
  ['["\\u12', 'it ends too early', 1, 7],
  ['NaN', 'a value is expected', 1, 1],
  ['{"a":"b', 'it ends too early', 1, 8],
];

for (const [text, expected, line, column] of cases) {
  test(`reports for ${JSON.stringify(text)}: ${expected}`, () => {
    assert.deepEqual(findSyntaxError(text), { expected, line, column });
  });
}

test('reports an error exactly for texts that JSON.parse rejects', () => {
  const damaged = fc
    .tuple(
      jsonText,
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom('', ',', '"', '}', ']', '\\', 'x', '0', '.', '\n', '\u00a0', '\u0001'),
    )
    .map(([text, place, removed, inserted]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + inserted + text.slice(at + removed);
    });
  fc.assert(
    fc.property(damaged, (text) => {
      assert.equal(findSyntaxError(text) === null, isJson(text));
    }),
    { numRuns: roundsOf(600, 3000) },
  );
});

test('reports that a truncated text ends too early', () => {
  const text = '{"events": [{"id": "\\u00e9\\n", "n": [true, {}]}]}';
  for (let end = 0; end < text.length; end++) {
    if (isJson(text.slice(0, end))) continue;
    const error = findSyntaxError(text.slice(0, end));
    // A truncated literal is reported at its start.
    if (!/[a-z]$/.test(text.slice(0, end)) || error?.expected !== 'a value is expected') {
      assert.equal(error?.expected, 'it ends too early', text.slice(0, end));
    }
  }
});

test('handles four million open brackets', () => {
  assert.equal(findSyntaxError('['.repeat(4_000_000))?.column, 4_000_001);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
