import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { writtenJson } from '../lib/json/arbitraries.ts';

export interface WrittenMember {
  readonly name: string;
  readonly nameText: string;
  readonly valueText: string;
}

export interface WrittenEvent {
  readonly members: readonly WrittenMember[];
  readonly text: string;
}

const GOOD: Readonly<Record<string, string>> = {
  specversion: '"1.0"',
  id: '"1"',
  source: '"urn:a"',
  type: '"t"',
};

const STRINGS = [
  '',
  ' ',
  'a',
  '1.0',
  'urn:a',
  'a:b',
  '1a:b',
  'a/b:c',
  '?a:b',
  '//h:80/p',
  '//h:x/p',
  '//[::1]:8',
  '//[::1',
  '//u@h@i',
  'http://',
  'x:',
  ':',
  '#',
  '#f#g',
  '[a]',
  '%41',
  '%4',
  '%zz',
  'é',
  'a b',
  'a"b',
  'a\\b',
  '\u0000',
  '\u007f',
  '\u0080',
  '\u009f',
  '\u00a0',
  '\ud800',
  '\udc00x',
  '\ud83d\ude00',
  '\ufdd0',
  '\uffff',
  '\u{1fffe}',
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain;',
  'text/plain; a',
  'text/plain; a=b; A=c',
  'text/plain; a="b;c\\"d"',
  'text/plain; a="b',
  'text',
  'TWE=',
  'TWF=',
  'TWFu',
  'TWFuTQ==',
  'TW E=',
  'TWE',
  'TWE-',
  '2026-03-04T05:06:07Z',
  '2026-03-04T05:06Z',
  '2026-03-04T05:06:07.123456789Z',
  '2026-03-04t05:06:07z',
  '2026-03-04T05:06:07+01:00',
  '2026-03-04T05:06:07+24:00',
  '2026-02-29T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '2017-01-01T00:59:60+01:00',
  '2016-12-31T23:59:60+01:00',
  '2016-12-31T22:59:60-01:00',
  '2026-03-04T24:00:00Z',
];

const NUMBERS = ['0', '-0', '7', '1.0', '1e2', '-1.5', '1e400', '2147483647', '2147483648'];
const MORE_NUMBERS = ['-2147483648', '-2147483649', '12345678901234567890'];
const AUTHS = ['{}', '{"apiKey":"k"}', '{"apikey":"k"}', '{"apiKey":1}', '{"a":1,"a":2}'];
const METADATA = ['{"sender":"a"}', '{"sender":1}', '{"x":"\\u0000"}', '{"a":1,"a":1}'];

const valueText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STRINGS).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS, ...MORE_NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom('null', 'true', '[]', ...AUTHS, ...METADATA) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: writtenJson.map(({ text }) => text.trim()) },
);

const NAMES = [
  ...['specversion', 'id', 'source', 'type', 'datacontenttype', 'dataschema', 'subject', 'time'],
  ...['data', 'data_base64', 'auth', 'metadata', 'ext', 'ext2', '1', 'Ext', 'my-ext', ''],
  ...['__proto__', 'constructor', 'é', '\\', 'ｅxt'],
];

const member: fc.Arbitrary<WrittenMember> = fc
  .tuple(fc.constantFrom(...NAMES), fc.boolean(), valueText, fc.constantFrom(...AUTHS, ...METADATA))
  .map(([name, isEscaped, anyText, objectText]) => ({
    name,
    nameText: isEscaped ? escaped(name) : JSON.stringify(name),
    // Random objects may contain duplicate members, which are invalid only in `auth` and `metadata`.
    valueText: ['auth', 'metadata'].includes(name) && /^\s*\{/.test(anyText) ? objectText : anyText,
  }));

function escaped(name: string): string {
  const codes = Array.from({ length: name.length }, (_, at) => name.charCodeAt(at));
  return `"${codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}"`;
}

const space = fc.constantFrom('', '', ' ', '\n\t');

/** Generates JSON texts of events with up to three arbitrary, often invalid, members. */
export const writtenEvent: fc.Arbitrary<WrittenEvent> = fc
  .tuple(
    fc.subarray(Object.keys(GOOD), { minLength: 3 }),
    fc.array(member, { maxLength: 3 }),
    space,
    fc.infiniteStream(fc.nat()),
  )
  .map(([kept, hostile, gap, order]) => {
    const members = kept.map((name) => ({
      name,
      nameText: JSON.stringify(name),
      valueText: GOOD[name] as string,
    }));
    for (const one of hostile) {
      const at = members.findIndex(({ name }) => name === one.name);
      const place = (order.next().value as number) % (members.length + 1);
      // Usually replaces the valid member. Sometimes creates a duplicate.
      if (at === -1 || place === 0) members.splice(place, 0, one as (typeof members)[number]);
      else members[at] = one;
    }
    const parts = members.map((one) => `${one.nameText}${gap}:${gap}${one.valueText}`);
    return { members, text: `{${gap}${parts.join(`${gap},${gap}`)}${gap}}` };
  });
