import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';

export interface Written {
  readonly text: string;
  readonly value: unknown;
}

const SPACES = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

const writtenCharacter = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    ),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([character, form]) => ({ text: writeCharacter(character, form), value: character }));

const writtenString = fc.array(writtenCharacter, { maxLength: 8 }).map((characters) => ({
  text: `"${characters.map(({ text }) => text).join('')}"`,
  value: characters.map(({ value }) => value).join(''),
}));

const writtenName = fc.oneof(
  writtenString,
  fc.constantFrom(
    { text: '"a"', value: 'a' },
    { text: '"\\u0061"', value: 'a' },
    { text: '"\\\\"', value: '\\' },
    { text: '"__proto__"', value: '__proto__' },
    { text: '""', value: '' },
  ),
);

const writtenScalar = fc.constantFrom(
  ...['0', '-0', '12345678901234567890', '1e400', '-1.50E-7', '0.1', '42'].map((text) => ({
    text,
    value: Number(text),
  })),
  { text: 'true', value: true },
  { text: 'false', value: false },
  { text: 'null', value: null },
);

/**
 * Random JSON texts with whitespace, escapes, unusual numbers and duplicate names, which `JSON.stringify` does not produce.
 */
export const writtenJson: fc.Arbitrary<Written> = fc.letrec<{
  value: Written;
  member: Written & { readonly name: string };
}>((tie) => ({
  member: fc
    .tuple(SPACES, writtenName, SPACES, tie('value'))
    .map(([before, name, after, { text, value }]) => ({
      text: `${before}${name.text}${after}:${text}`,
      name: name.value,
      value,
    })),
  value: fc
    .tuple(
      SPACES,
      fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.oneof(
          writtenScalar,
          writtenString,
          fc.constantFrom('{}', '[]').map((text) => ({ text, value: text === '{}' ? {} : [] })),
        ),
        fc.array(tie('member'), { maxLength: 5 }).map((members) => ({
          text: `{${members.map(({ text }) => text).join(',')}}`,
          value: Object.fromEntries(members.map(({ name, value }) => [name, value])),
        })),
        fc.array(tie('value'), { maxLength: 5 }).map((elements) => ({
          text: `[${elements.map(({ text }) => text).join(',')}]`,
          value: elements.map(({ value }) => value),
        })),
      ),
      SPACES,
    )
    .map(([before, { text, value }, after]) => ({ text: `${before}${text}${after}`, value })),
})).value;

export const jsonText: fc.Arbitrary<string> = writtenJson.map(({ text }) => text);

function writeCharacter(character: string, form: number): string {
  const escaped = [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
  if (form === 0) return escaped;
  if (form === 1 && character === '/') return '\\/';
  return JSON.stringify(character).slice(1, -1);
}
