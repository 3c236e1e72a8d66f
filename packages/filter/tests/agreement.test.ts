import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { evaluate } from '../src/evaluate/evaluate.ts';
import type { Filter } from '../src/language/filter.ts';
import { print } from '../src/language/filter.ts';
import type { SqlLayout } from '../src/sql/index.ts';
import { filterArbitrary, recordArbitrary } from './arbitraries.ts';
import { type Engine, layoutsOf, openPostgres, openSqlite } from './engines.ts';
import { postgresIsMissing } from './postgres.ts';
import { relatedFilterArbitrary } from './related-arbitraries.ts';

const records = fc.sample(recordArbitrary, 250);
const engines = [
  { name: 'SQLite', open: openSqlite, skip: false },
  { name: 'PostgreSQL', open: openPostgres, skip: postgresIsMissing ?? false },
] as const;

for (const { name, open, skip } of engines) {
  suite(`${name} gives the answer that memory gives`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(records);
    });
    after(() => engine?.[Symbol.asyncDispose]());

    for (const [how, layout] of Object.entries(layoutsOf[name])) {
      test(`${how}, for random filters`, async () => {
        await agrees(engine, layout, filterArbitrary);
      });

      test(`${how}, for filters that are about the records`, async () => {
        const filters = relatedFilterArbitrary(records);
        const share = await agrees(engine, layout, filters);
        assert.ok(share > 0.1 && share < 0.9, `${share} of the answers are true`);
      });
    }
  });
}

/** Compares 200 filters, each on all records; the share of answers that were true. */
async function agrees(
  engine: Engine,
  layout: SqlLayout,
  filters: fc.Arbitrary<Filter>,
): Promise<number> {
  let accepted = 0;
  let asked = 0;
  const property = fc.asyncProperty(filters, async (filter) => {
    const found = await engine.select(filter, layout);
    const wanted = records.flatMap((record, at) => (evaluate(filter, record) ? [at] : []));
    const differs = records.filter((_, at) => found.includes(at) !== wanted.includes(at));
    assert.deepEqual(differs.slice(0, 1), [], JSON.stringify(print(filter)));
    assert.equal(await engine.isEverNull(filter, layout), false);
    accepted += wanted.length;
    asked += records.length;
  });
  await fc.assert(property, { numRuns: 200 });
  return accepted / asked;
}
