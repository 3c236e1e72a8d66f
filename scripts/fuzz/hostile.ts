import type { Seeded } from '../../packages/server/tests/support/seeded.ts';

/** JSON texts that some parsers handle incorrectly. */
const VALUES = [
  'null',
  'true',
  '0',
  '-0',
  '1.0',
  '1e2',
  '1e999',
  '2147483648',
  '-2147483649',
  '12345678901234567890123456789',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\uffff"',
  '"\\u007f"',
  '"a\\nb"',
  '"\u00e9"',
  '"\u{1f600}"',
  '"1.0"',
  '"urn:a"',
  '"a:b"',
  '"1a:b"',
  '"//[::1"',
  '"%zz"',
  '"#"',
  '"2016-12-31T23:59:60Z"',
  '"2026-02-30T00:00:00Z"',
  '"2026-03-04T05:06:07+01:00"',
  '"2026-03-04t05:06:07.123456789z"',
  '"text/plain"',
  '"a/json; charset=\\"x"',
  '"TWE="',
  '"TWF="',
  '[]',
  '{}',
  '[[[[[[[[]]]]]]]]',
  '{"apiKey":"x"}',
  '{"signature":"v1,AA==","timestamp":"0"}',
  '{"a":1,"a":2}',
  '{"__proto__":{"id":"x"}}',
] as const;

const NAMES = [
  'id',
  'source',
  'specversion',
  'type',
  'datacontenttype',
  'dataschema',
  'subject',
  'time',
  'data',
  'data_base64',
  'auth',
  'metadata',
  'signature',
  'ext',
  'Ext',
  'my-ext',
  '',
  '__proto__',
  'constructor',
  'toString',
  '\\u0069d',
  '\\\\',
] as const;

/** Returns the text of an event with some invalid or unusual members. */
export function hostileEvent(random: Seeded): string {
  const members = [
    '"specversion":"1.0"',
    `"id":"${random.below(1_000_000)}"`,
    '"source":"urn:fuzz"',
    '"type":"fuzz.event"',
  ];
  for (let left = random.below(4); left > 0; left -= 1) {
    const member = `"${random.pick(NAMES)}":${random.pick(VALUES)}`;
    const at = random.below(members.length + 1);
    members.splice(at, random.below(2), member);
  }
  const space = random.pick(['', '', ' ', '\n\t']);
  return `{${space}${members.join(`,${space}`)}${space}}`;
}

const HEADER_VALUES = [
  '',
  ' ',
  '1.0',
  'urn:a',
  '/a',
  'a b',
  '%',
  '%C0%A0',
  '%ED%A0%80',
  '%00',
  '%25',
  'Euro%20%E2%82%AC',
  '"a \\"b"',
  '"open',
  '\u00e9',
  '\u00ff\u00fe',
  '2026-03-04T05:06:07Z',
  'x'.repeat(3000),
] as const;

/** Returns the `ce-` headers of an event, some of them invalid or unusual. */
export function hostileAttributes(random: Seeded): string[] {
  const lines = [
    'ce-specversion: 1.0',
    `ce-id: ${random.below(1_000_000)}`,
    'ce-source: /fuzz',
    'ce-type: fuzz.event',
  ];
  for (let left = random.below(4); left > 0; left -= 1) {
    const name = random.pick(['ce-', 'Ce-', 'CE-']) + headerName(random.pick(NAMES));
    const at = random.below(lines.length + 1);
    lines.splice(at, random.below(2), `${name}: ${random.pick(HEADER_VALUES)}`);
  }
  return lines;
}

function headerName(name: string): string {
  return name.replace(/[^\w-]/g, '');
}
