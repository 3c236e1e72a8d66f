import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { evaluate } from '../src/evaluate/evaluate.ts';
import type { JsonObject } from '../src/language/json.ts';
import { parsed } from './arbitraries.ts';
import { type Engine, layoutsOf, openPostgres, openSqlite } from './engines.ts';
import { postgresIsMissing } from './postgres.ts';
import { recordWith } from './sample-record.ts';

const long = 'é'.repeat(1000);
const longKey = 'ключ'.repeat(240);

/** Keys with a special meaning in JSON, paths or SQL. */
const keys = ['"', '\\', "it's", '$', '[0]', 'a b', '😀', '\x01', 'É', '__proto__', longKey];

/** Values of the key `a` that an engine could confuse with each other. */
const values = [
  ...[null, true, false, 1, 0, -0, '1', 'true', 'null', '', [], {}, [null], [true], [1], ['1']],
  ...[[[1]], '[1]', [['x']], '["x"]', { '0': 1 }, { a: 1 }, [{ a: 1 }], '{}'],
  ...[0.1 + 0.2, 0.3, 5e-324, 2 ** 53, 2 ** 53 + 2, 2 ** 60, 2 ** 63, 1e21],
  ...['\uffff', '\ufffe', '\ufffd', '\ue000', '😀', 'Z', 'a', 'ä', '\u212a', 'ΑΣ', 'ΑΣΑ', 'İ'],
  ...['%', '_', '\\', '"', "'", 'line\nbreak', '\x01', long, `${long}é`, long.slice(1)],
];

const records = [
  recordWith({}),
  ...values.map((a) => recordWith({ a })),
  ...keys.map((key) => recordWith({ [key]: { [key]: 'x' } })),
  recordWith({ 'a.b': 1, '': 2, a: { b: 3 } }, { language: null, fileName: 'İstanbul_100%.pdf' }),
  recordWith({ a: ['hr', 'hr', null], tags: [['x'], { k: 'x' }] }, { mimeType: 'Text/Plain' }),
  // Values that a path through arrays finds at `a.b`.
  ...values.map((b) => recordWith({ a: [{ b }, { c: 'x' }] })),
  ...values.map((b) => recordWith({ a: { b } })),
  ...keys.map((key) => recordWith({ [key]: [{ [key]: 'x' }] })),
  recordWith({ a: [[{ b: 'x' }], [[{ b: ['Y', 2] }, 'z']]] }),
  recordWith({ a: [{ 'b.c': 1, '.': 'x', '.folded': 'x', b: [{ c: 'É' }, { c: [3] }] }] }),
];

function about(...predicates: readonly JsonObject[]): JsonObject[] {
  return predicates.map((predicate) => ({ a: predicate }));
}

const scalars = values.filter((value) => typeof value !== 'object' || value === null);
const operands = scalars.filter((value) => value !== `${long}é`);
const ordered = operands.filter((value) => typeof value === 'string' || typeof value === 'number');
const types = ['string', 'number', 'boolean', 'null', 'array', 'object', 'absent'];

const filters: Readonly<Record<string, readonly JsonObject[]>> = {
  'equality of type and value': operands.flatMap((eq) => about({ eq }, { ne: eq })),
  'lists of several types': [
    ...about({ in: [] }, { in: [null] }, { in: [null, 1] }, { in: ['1', true, 0.3] }),
    ...about({ in: operands }, { in: ['x', '\uffff', long] }),
  ],
  'order by value and by code point': ordered.flatMap((operand) =>
    about({ gt: operand }, { gte: operand }, { lt: operand }, { lte: operand }),
  ),
  'patterns, ignoring case': [
    ...about({ like: '%' }, { like: '_' }, { like: '\\%' }, { like: '\\_' }, { like: '\\\\' }),
    ...about({ like: 'A' }, { like: 'k' }, { like: 'ασ' }, { like: '%Σ%' }, { like: 'i̇' }),
    ...about({ like: '\ufffd' }, { like: '_\ufffe%' }, { like: '%\uffff' }, { like: 'line_break' }),
    ...about({ like: long.toUpperCase() }, { like: `%${long.slice(2)}` }, { like: '😀' }),
  ],
  'types and absent fields': [
    ...about(...types.map((tp) => ({ tp }))),
    ...types.map((tp) => ({ 'a.b': { tp } })),
    ...types.map((tp) => ({ 'a.0': { tp } })),
    ...types.map((tp) => ({ 'a.b.c': { tp } })),
    ...types.map((tp) => ({ language: { tp } })),
  ],
  'paths through arrays': [
    ...operands.flatMap((eq) => [{ 'a.b': { eq } }, { 'a.b': { ne: eq } }]),
    ...ordered.flatMap((operand) => [{ 'a.b': { gt: operand } }, { 'a.b': { lte: operand } }]),
    ...[{ in: [] }, { in: [null] }, { in: [null, 1, 'x'] }, { in: operands }].map((test) => ({
      'a.b': test,
    })),
    ...['%', 'y', 'K', '\\%', '_\ufffe%', '%\uffff', '%Σ%', long.toUpperCase()].map((like) => ({
      'a.b': { like },
    })),
    ...[null, { eq: 'É' }, { like: 'é' }, { gte: 3 }, { in: ['x', 3] }].map((test) => ({
      'a.b.c': test,
    })),
  ],
  'all kinds of names': keys
    .flatMap((key) => [key, `${key}.${key}`.slice(0, 1000)])
    .flatMap((name) => [
      { [name]: { eq: 'x' } },
      { [name]: { like: 'X' } },
      { [name]: { tp: 'object' } },
      { [name]: null },
    ]),
  'search only in values': [
    ...['x', 'a', 'LINE\nB', '"', '\\', "'", '\x01', 'İ', '100%', 'hr', long.slice(3)],
    ...['\uffff', '\ufffd', '\u212a'],
  ].map((search) => ({ search })),
  'document fields': [
    ...['fileName', 'mimeType', 'language', 'createdAt'].flatMap((name) => [
      { [name]: null },
      { [name]: { in: ['en', null, 1, 'Text/Plain'] } },
      { [name]: { in: ['en', 'Text/Plain', 'Travel Policy.pdf'] } },
      { [name]: { like: '%T%' } },
      { [name]: { gte: 'Text' } },
      { [name]: { gt: 1 } },
      { [name]: { eq: true } },
    ]),
    { fileName: { like: 'i̇stanbul\\_100\\%.PDF' } },
  ],
  'hostile text': [
    "'; DROP TABLE documents; --",
    '" OR 1=1 --',
    '$1',
    '?',
    '\\',
    "\\' OR TRUE --",
  ].flatMap((text) => [
    { a: { eq: text } },
    { a: { in: [text, '1'] } },
    { [text]: { ne: text } },
    { a: { like: text.replaceAll('\\', '\\\\') } },
    { fileName: { gt: text } },
    { search: `${text}x` },
  ]),
};

for (const [name, open, skip] of [
  ['SQLite', openSqlite, undefined],
  ['PostgreSQL', openPostgres, postgresIsMissing],
] as const) {
  suite(`${name} agrees with evaluate in edge cases`, { skip: skip ?? false }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(records);
    });
    after(() => engine?.[Symbol.asyncDispose]());

    for (const [how, layout] of Object.entries(layoutsOf[name])) {
      for (const [topic, examples] of Object.entries(filters)) {
        test(`agrees with evaluate on ${topic}, ${how}`, async () => {
          for (const json of examples) {
            for (const variant of [json, { not: json }]) {
              const filter = parsed(variant);
              const expected = records.flatMap((record, at) =>
                evaluate(filter, record) ? [at] : [],
              );
              assert.deepEqual(
                await engine.select(filter, layout),
                expected,
                JSON.stringify(variant),
              );
            }
          }
        });
      }
    }
  });
}
