import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAscii } from './ascii.ts';

const EXAMPLES = [
  "'Grüße – 🙂'",
  '`Grüße – 🙂`',
  String.raw`'\ü\\ü\\\ü'`,
  '/^[\\–ü]+$/.exec("ü–")?.[0]',
  '/^[🙂-🙃]$/u.exec("🙃")?.[0]',
  '/\\p{L}ü/v.exec("éü")?.[0]',
  '{ größe: 1 }.größe',
  'JSON.parse(\'{"a":"–"}\').a',
];

test('code that reads raw text outside of ASCII is rejected', () => {
  assert.throws(() => toAscii('const text = String.raw`ü`;'), /String\.raw`ü/);
  assert.equal(toAscii('[String.raw`u`, "ü"]'), '[String.raw`u`, "\\u00fc"]');
});

for (const code of EXAMPLES)
  test(`${code} has the same value in ASCII`, () => {
    const ascii = toAscii(code);
    assert.match(ascii, /^[\0-\x7f]+$/);
    const evaluate = (text: string): unknown => new Function(`return (${text})`)();
    assert.deepEqual(evaluate(ascii), evaluate(code));
  });
