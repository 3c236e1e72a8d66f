import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { readAttributeHeaders } from './attribute-headers.rules.ts';

const read = (value: string) => readAttributeHeaders(['ce-subject', value]);

const decoded: readonly (readonly [string, string])[] = [
  ['plain', 'plain'],
  ['', ''],
  // CloudEvents 1.0.2, HTTP binding, section 3.1.3.2.
  ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
  ['%e2%82%ac', '€'],
  ['%41%2f', 'A/'],
  ['%2520', '%20'],
  ['a b', 'a b'],
  ['"a b"', 'a b'],
  ['"a \\"b\\" \\\\ \\c"', 'a "b" \\ c'],
  ['"%E2%82%AC"', '€'],
  ['a\\b', 'a\\b'],
  ['say "hi" twice', 'say hi twice'],
  ['""', ''],
];

for (const [written, value] of decoded) {
  test(`decodes the header value ${written} to ${value}`, () => {
    const { values, problems } = read(written);
    assert.deepEqual(problems, []);
    assert.equal(values.get('subject'), value);
  });
}

const refused: readonly (readonly [string, RegExp])[] = [
  ['%C0%A0', /must be valid UTF-8/],
  ['%ED%A0%80', /must be valid UTF-8/],
  ['%F4%90%80%80', /must be valid UTF-8/],
  ['%FF', /must be valid UTF-8/],
  ['%E2%82', /must be valid UTF-8/],
  ['%', /two hexadecimal digits/],
  ['100%', /two hexadecimal digits/],
  ['%4', /two hexadecimal digits/],
  ['%zz', /two hexadecimal digits/],
  ['%%34', /two hexadecimal digits/],
  ['é', /printable ASCII/],
  ['\u00e2\u0082\u00ac', /printable ASCII/],
  ['a\tb', /printable ASCII/],
  ['"open', /missing closing quote/],
  ['"open\\"', /missing closing quote/],
  ['"', /missing closing quote/],
];

for (const [written, problem] of refused) {
  test(`rejects the header value ${JSON.stringify(written)}`, () => {
    const { values, names, problems } = read(written);
    assert.match(problems[0] ?? '', problem);
    assert.match(problems[0] ?? '', /^subject: /);
    assert.equal(values.has('subject'), false);
    assert.equal(names.has('subject'), true);
  });
}

test('ignores both values of a duplicate header, regardless of case', () => {
  const { values, problems } = readAttributeHeaders(['ce-id', '1', 'Host', 'x', 'CE-ID', '1']);
  assert.deepEqual(problems, ['id: is given twice']);
  assert.equal(values.size, 0);
});

test('rejects datacontenttype, data and auth as headers', () => {
  const { values, problems } = readAttributeHeaders(
    ['ce-datacontenttype', 'ce-data', 'ce-auth'].flatMap((name) => [name, 'x']),
  );
  assert.equal(values.size, 0);
  assert.deepEqual(
    problems.map((problem) => problem.slice(0, problem.indexOf(':'))),
    ['datacontenttype', 'data', 'auth'],
  );
});

test('decodes every string that is encoded as the HTTP binding specifies', () => {
  const encode = (text: string) =>
    [...text]
      .map((character) =>
        /[!#$&-~]/.test(character) ? character : percentEncoded(Buffer.from(character)),
      )
      .join('');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.equal(read(encode(text)).values.get('subject'), text);
    }),
  );
});

function percentEncoded(bytes: Buffer): string {
  return bytes.toString('hex').replace(/../g, '%$&');
}
