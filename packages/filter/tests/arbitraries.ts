import fc from 'fast-check';
import type { FilterRecord } from '../src/evaluate/record.ts';
import { documentFields, fieldTypes, type Operator } from '../src/language/ast.ts';
import type { Filter } from '../src/language/filter.ts';
import type { JsonObject, JsonValue } from '../src/language/json.ts';
import { limits } from '../src/language/limits.ts';
import { parse } from '../src/language/parse.ts';
import { anyCharacter } from './any-character.ts';

/** A small set of keys, so that filters match records. Includes keys with a special meaning in objects, paths and SQL. */
const keys = [
  'a',
  'b',
  'a.b',
  '0',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  "it's",
  '"q"',
  '$x',
  '$',
  '[0]',
  '*',
  '%',
  'a b',
  'back\\slash',
  'line\nbreak',
  'É',
  '😀',
  '\uffff',
];

const wellFormedText = fc
  .string({ unit: anyCharacter, maxLength: 6 })
  .map((text) => text.replaceAll('\0', ''));

const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('', 'a', 'A', 'ab', 'aB', 'b', '1', 'true', 'null', 'ß', 'SS'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('İ', 'i̇', 'Σ', 'σ', 'ς', 'ΑΣ', 'ΑΣΑ', 'ǅ', '\u212a', 'ﬀ', 'É', 'é'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '😀',
      '\uffff',
      '\ufffe',
      '\ufffd',
      '\ue000',
      '\x1f',
      '\x7f',
      '\u2028',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '%',
      '_',
      '\\',
      '\\\\',
      '100%',
      'a_b',
      'a\nb',
      '\t',
      "'",
      '"',
      '"a"',
      '?',
      '$1',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[1]',
      '{}',
      '#',
      "'; DROP TABLE documents; --",
      '2026-01-31T08:00:00.000Z',
    ),
  },
  {
    weight: 1,
    // Lengths near the limit of operands and near the limit of unhashed index values.
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'é', '😀', '"'), fc.constantFrom(298, 299, 300, 301, 999, 1000))
      .map(([character, length]) => character.repeat(length)),
  },
  { weight: 2, arbitrary: wellFormedText },
);

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 1.5, 2, 0.1 + 0.2, 0.3, 1e21, 5e-324, -5e-324),
  fc.constantFrom(1.7976931348623157e308, 2 ** 53, 2 ** 53 + 2, 2 ** 60, 2 ** 63, 2 ** 64),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
);

const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 3, arbitrary: number },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** Generates an object in which `__proto__` can be an own key. */
function objectOf<Value>(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<Value>,
  sizes: { minLength?: number; maxLength: number },
): fc.Arbitrary<{ readonly [key: string]: Value }> {
  return fc.array(fc.tuple(key, value), sizes).map((entries) => Object.fromEntries(entries));
}

const key = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 1, arbitrary: fc.constantFrom(...keys) },
);

/** Generates a metadata key. The key is sometimes empty, and no filter can name an empty key. */
const metadataKey = fc.oneof(
  { weight: 20, arbitrary: key },
  { weight: 1, arbitrary: fc.constant('') },
);

/** Generates a key that occurs in most generated paths. */
const pathKey = fc.constantFrom('a', 'b');

/** Generates values with many arrays of objects, so that paths through arrays find values. */
const { value: jsonValue } = fc.letrec<{ value: JsonValue; part: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 6, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.array(tie('part'), { maxLength: 3 }) },
    { weight: 2, arbitrary: objectOf(metadataKey, tie('value'), { maxLength: 3 }) },
  ),
  part: fc.oneof(
    { weight: 1, arbitrary: tie('value') },
    { weight: 3, arbitrary: objectOf(pathKey, tie('value'), { maxLength: 2 }) },
  ),
}));

/** Generates metadata that an upload accepts. */
export const metadataArbitrary: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 1, arbitrary: objectOf(metadataKey, jsonValue, { maxLength: 1 }) },
  { weight: 5, arbitrary: objectOf(metadataKey, jsonValue, { minLength: 3, maxLength: 8 }) },
);

const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

export const recordArbitrary: fc.Arbitrary<FilterRecord> = fc.record({
  fileName: text,
  mimeType: fc.constantFrom('text/plain', 'Text/Markdown', 'application/pdf'),
  language: fc.option(fc.constantFrom('de', 'en', 'EN', 'de-CH')),
  createdAt: time,
  updatedAt: time,
  metadata: metadataArbitrary,
});

const fieldName = fc.oneof(
  { weight: 6, arbitrary: key },
  { weight: 2, arbitrary: fc.tuple(key, key).map((path) => path.join('.')) },
  { weight: 1, arbitrary: fc.tuple(pathKey, pathKey, key).map((path) => path.join('.')) },
  { weight: 1, arbitrary: fc.constantFrom(...documentFields) },
);

const patternPart = fc.oneof(
  { weight: 3, arbitrary: fc.constant('%') },
  { weight: 2, arbitrary: fc.constantFrom('_', '\\%', '\\_', '\\\\', '\\a') },
  { weight: 2, arbitrary: text.map(escapeBackslashes) },
);

const pattern = fc
  .array(patternPart, { maxLength: 3 })
  .map((parts) => parts.join(''))
  .filter((joined) => joined.length <= limits.characters);

/** Escapes backslashes, so that the pattern has no incomplete escape. */
function escapeBackslashes(part: string): string {
  return part.replaceAll('\\', '\\\\');
}

const ordered = fc.oneof(text, number, time);

const operatorTest: fc.Arbitrary<readonly [Operator, JsonValue]> = fc.oneof(
  fc.tuple(fc.constantFrom('eq', 'ne'), scalar),
  fc.tuple(fc.constant('in'), fc.array(scalar, { maxLength: 4 })),
  fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), ordered),
  fc.tuple(fc.constant('like'), pattern),
  fc.tuple(fc.constant('tp'), fc.constantFrom(...fieldTypes)),
);

const predicate: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 9,
    arbitrary: fc
      .array(operatorTest, { minLength: 1, maxLength: 2 })
      .map((tests) => Object.fromEntries(tests)),
  },
);

const searchText = text.filter((value) => /[^.*%_?\s]/.test(value));

/** Generates JSON that `parse` accepts, at most five levels deep and far below the limit of nodes. */
export const filterJsonArbitrary: fc.Arbitrary<JsonObject> = fc.letrec<{ filter: JsonObject }>(
  (tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      { weight: 6, arbitrary: objectOf(fieldName, predicate, { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: searchText.map((search) => ({ search })) },
      { weight: 2, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map((and) => ({ and })) },
      { weight: 2, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map((or) => ({ or })) },
      { weight: 2, arbitrary: tie('filter').map((not) => ({ not })) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(tie('filter'), fieldName, predicate)
          .map(([not, name, test]) => ({ not, ...Object.fromEntries([[name, test]]) })),
      },
    ),
  }),
).filter;

export const filterArbitrary: fc.Arbitrary<Filter> = filterJsonArbitrary.map(parsed);

/** Parses a filter. Throws an error with the problems if the JSON is not a valid filter. */
export function parsed(json: unknown): Filter {
  const result = parse(json);
  if (result.ok) return result.filter;
  throw new Error(result.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

const scan: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'b', 'a.b', 'fileName'), pattern)
      .map(([name, like]) => ({ [name]: { like } })),
  },
  { weight: 1, arbitrary: searchText.map((search) => ({ search })) },
);

/** Generates filters with 120 `like` and `search` operators on few fields. */
export const scanningFilterArbitrary: fc.Arbitrary<Filter> = fc
  .array(
    fc.array(
      fc.oneof(
        scan,
        scan,
        scan.map((not) => ({ not })),
      ),
      { minLength: 4, maxLength: 4 },
    ),
    {
      minLength: 30,
      maxLength: 30,
    },
  )
  .map((groups) => parsed({ or: groups.map((and) => ({ and })) }));
