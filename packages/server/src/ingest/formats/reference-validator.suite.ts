import type { WrittenEvent } from '../event-arbitraries.ts';

/** Names of the invalid members of an event. */
export type Verdict = ReadonlySet<string>;

const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** Grammar of RFC 3986, appendix A, with `[::1]` as the only IPv6 address. */
const UNRESERVED = "[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2}|[!$&'()*+,;=]";
const PCHAR = `(?:${UNRESERVED}|[:@])`;
const AUTHORITY = `(?:(?:${UNRESERVED}|:)*@)?(?:\\[::1\\]|(?:${UNRESERVED})*)(?::[0-9]*)?`;
const ABEMPTY = `(?:/${PCHAR}*)*`;
const ABSOLUTE = `/(?:${PCHAR}+${ABEMPTY})?`;
const TAIL = `(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?`;
const HIER = `(?://${AUTHORITY}${ABEMPTY}|${ABSOLUTE}|${PCHAR}+${ABEMPTY}|)`;
const NOSCHEME = `(?:${UNRESERVED}|@)+${ABEMPTY}`;
const URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${HIER}${TAIL}$`);
const RELATIVE = new RegExp(`^(?://${AUTHORITY}${ABEMPTY}|${ABSOLUTE}|${NOSCHEME}|)${TAIL}$`);

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `(${TOKEN})=(?:${TOKEN}|"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*")`;
const MEDIA_TYPE = new RegExp(
  `^[ \\t]*${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*(?:${PARAMETER})?)*[ \\t]*$`,
);

const OWN_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;
const ANY_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string' && value !== '' && !FORBIDDEN.test(value);
const matches =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const isUri = matches(URI);
const isReference: Test = (value) => value !== '' && (isUri(value) || matches(RELATIVE)(value));

/**
 * Returns the invalid members of an event in the Gatehouse JSON format. This reference implementation is slow and
 * checks one member at a time.
 */
export function validateOwn(event: WrittenEvent): Verdict {
  const wrong = repeatedIn(event, ['auth', 'metadata']);
  const value = parsed(event);
  const check = (name: string, test: Test, isRequired = false) => {
    const given = value.get(name);
    if (given === undefined ? isRequired : !test(given)) wrong.add(name);
  };
  check('id', isText, true);
  check('type', isText, true);
  check('source', isUri, true);
  check('specversion', (given) => given === '1.0', true);
  check('subject', isText);
  check('datacontenttype', isText);
  check('dataschema', isUri);
  check('time', (given) => matches(OWN_TIME)(given) && isExistingTime(String(given), false));
  check('auth', isAuth);
  check('metadata', isMetadata);
  for (const [name, given] of value)
    if (
      !CORE.has(name) &&
      name !== 'metadata' &&
      typeof given === 'string' &&
      FORBIDDEN.test(given)
    )
      wrong.add(name);
  return wrong;
}

const CORE = new Set(
  'id type source specversion subject datacontenttype dataschema time auth data'.split(' '),
);

/** Returns the invalid members of an event in the JSON format of CloudEvents 1.0.2. */
export function validateStandard(event: WrittenEvent): Verdict {
  const wrong = repeatedIn(event, ['auth', 'metadata']);
  const value = parsed(event);
  const check = (name: string, test: Test, isRequired = false) => {
    const given = value.get(name) ?? undefined;
    if (given === undefined ? isRequired : !test(given)) wrong.add(name);
  };
  check('id', isText, true);
  check('type', isText, true);
  check('source', isReference, true);
  check('specversion', (given) => given === '1.0', true);
  check('subject', isText);
  check('datacontenttype', isMediaType);
  check('dataschema', isUri);
  check('time', (given) => matches(ANY_TIME)(given) && isExistingTime(String(given), true));
  check('auth', isAuth);
  check('data_base64', (given) => !value.has('data') && isBase64(given));
  for (const { name, valueText } of event.members)
    if (!CORE.has(name) && name !== 'data_base64' && !isExtension(name, valueText)) wrong.add(name);
  return wrong;
}

/** Parses the members. The last of duplicate members wins, as in `JSON.parse`. */
function parsed({ members }: WrittenEvent): ReadonlyMap<string, unknown> {
  return new Map(members.map(({ name, valueText }) => [name, JSON.parse(valueText)]));
}

function repeatedIn({ members }: WrittenEvent, inside: readonly string[]): Set<string> {
  const names = members.map(({ name }) => name);
  const wrong = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  for (const { name, valueText } of members)
    if (inside.includes(name) && /^\{"a":1,"a":[12]\}$/.test(valueText)) wrong.add(name);
  return wrong;
}

function isAuth(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const known = ['apiKey', 'signature', 'timestamp'];
  return Object.entries(value).every(
    ([name, of]) => known.includes(name) && typeof of === 'string',
  );
}

function isMetadata(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, of]) => {
    if (typeof of === 'string') return !of.includes('\0') && of.isWellFormed();
    return !['sender', 'version', 'environment'].includes(name);
  });
}

function isExtension(name: string, valueText: string): boolean {
  if (!/^[a-z0-9]+$/.test(name)) return false;
  const value: unknown = JSON.parse(valueText);
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return !FORBIDDEN.test(value);
  return (
    /^-?\d+$/.test(valueText.trim()) && BigInt.asIntN(32, BigInt(valueText)) === BigInt(valueText)
  );
}

function isMediaType(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 1000 || !MEDIA_TYPE.test(value)) return false;
  const bare = value.replace(/"(?:[^"\\]|\\.)*"/g, 'q');
  const names = [...bare.matchAll(/;\s*([^=;\s]+)=/g)].map(([, name]) => name?.toLowerCase());
  return new Set(names).size === names.length;
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
}

/** Reports whether a well-formed time exists, according to `Date`. */
function isExistingTime(text: string, allowsLeapSecond: boolean): boolean {
  const upper = text.toUpperCase();
  const local = upper.slice(0, 16);
  const date = new Date(`${local}:00Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(local)) return false;
  const [, second = '00', zone = 'Z'] = /^.{16}(?::(\d\d)(?:\.\d+)?)?(Z|[+-].*)$/.exec(upper) ?? [];
  const utc = new Date(`${local}:00${zone}`);
  if (Number.isNaN(utc.getTime())) return false;
  if (second < '60') return true;
  const next = new Date(utc.getTime() + 60_000).toISOString();
  return allowsLeapSecond && second === '60' && next.slice(8, 16) === '01T00:00';
}
