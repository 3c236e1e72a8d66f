import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { evaluate } from '../src/evaluate/evaluate.ts';
import { all } from '../src/language/filter.ts';
import type { JsonObject } from '../src/language/json.ts';
import { limits } from '../src/language/limits.ts';
import { parsed } from './arbitraries.ts';
import { FULL } from './campaign.ts';
import { type Engine, layoutsOf, openPostgres, openSqlite } from './engines.ts';
import { postgresIsMissing } from './postgres.ts';
import { recordWith } from './sample-record.ts';

/** A sample runs half of the filters on SQLite, each in one layout, and a quarter of the filters on PostgreSQL. The seed chooses them. */
const PARTS = 4;
const seed = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 31));
const width = limits.nodes - 1;
const records = [{ a: 1 }, { a: 'x', tags: ['x'] }, { a: [{ b: 'x' }] }, {}].map((metadata) =>
  recordWith(metadata),
);

function times<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function nested(depth: number, around: (inner: JsonObject) => JsonObject): JsonObject {
  let filter: JsonObject = { a: { eq: 1 } };
  for (let level = 1; level < depth; level += 1) filter = around(filter);
  return filter;
}

const longest = '😀'.repeat(limits.characters);
const deepName = times(limits.depth, (at) => `key${at}`).join('.');
const manyValues = times(limits.values, (at) => (at % 3 === 0 ? at : `${at}`));

/** Filters of the maximum size that the language allows. */
const largest: Readonly<Record<string, JsonObject>> = {
  'and of gt': { and: times(width, (at) => ({ a: { gt: at - width } })) },
  'or of eq': { or: times(width, (at) => ({ a: { eq: at } })) },
  'and of eq': { and: times(width, (at) => ({ [`k${at}`]: { eq: at } })) },
  'and of ne': { and: times(width, (at) => ({ a: { ne: at + 2 } })) },
  'or of deep names': { or: times(width, (at) => ({ [deepName]: { gt: at } })) },
  'and of in on a column': { and: times(width, () => ({ fileName: { in: manyValues } })) },
  'or of in': { or: times(width, () => ({ a: { in: manyValues } })) },
  'and of like': { and: times(width, () => ({ a: { like: '%x%' } })) },
  'or of long patterns': { or: times(width, () => ({ a: { like: longest } })) },
  'or of long values': { or: times(width, () => ({ a: { eq: longest } })) },
  'or of like on a path': { or: times(width, () => ({ 'a.b': { like: '%y%' } })) },
  'and of gt on a path': { and: times(width, () => ({ 'a.b': { gt: '' } })) },
  'or of gt on a path': { or: times(width, (at) => ({ 'a.b': { gt: at } })) },
  'and of tp on a path': { and: times(width, () => ({ 'a.b': { tp: 'string' } })) },
  'or of in on a path': { or: times(width, () => ({ 'a.b': { in: manyValues } })) },
  'and of search': { and: times(width, () => ({ search: 'x' })) },
  'and of tp': { and: times(width, () => ({ a: { tp: 'number' } })) },
  'nested not': nested(limits.depth, (not) => ({ not })),
  'nested and, or, not': nested(limits.depth - 2, (inner) => ({
    or: [...times(15, (at) => ({ a: { eq: at } })), inner],
  })),
};

for (const [name, open, skip] of [
  ['SQLite', openSqlite, undefined],
  ['PostgreSQL', openPostgres, postgresIsMissing],
] as const) {
  suite(`${name} runs the largest filters`, { skip: skip ?? false }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(records);
    });
    after(() => engine?.[Symbol.asyncDispose]());

    const layouts = Object.entries(layoutsOf[name]);
    for (const [index, [how, layout]] of layouts.entries()) {
      for (const [at, [shape, json]] of Object.entries(largest).entries()) {
        if (!FULL && at % PARTS !== (index + seed) % PARTS) continue;
        test(`runs the filter "${shape}" alone and joined four times, ${how}`, async () => {
          const filter = parsed(json);
          const expected = records.flatMap((record, at) => (evaluate(filter, record) ? [at] : []));
          assert.deepEqual(await engine.select(filter, layout), expected);
          assert.deepEqual(
            await engine.select(all(filter, filter, filter, filter), layout),
            expected,
          );
        });
      }
    }
  });
}
