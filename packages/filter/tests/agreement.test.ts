import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, suite, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { evaluate } from '../src/evaluate/evaluate.ts';
import type { Filter } from '../src/language/filter.ts';
import { print } from '../src/language/filter.ts';
import type { SqlLayout } from '../src/sql/index.ts';
import { filterArbitrary, recordArbitrary } from './arbitraries.ts';
import { contractHolds } from './contract-rules.ts';
import { type Engine, layoutsOf, openPostgres, openSqlite } from './engines.ts';
import { postgresIsMissing } from './postgres.ts';
import { relatedFilterArbitrary } from './related-arbitraries.ts';

const seed = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 31));
const numRuns = Number(process.env['GATEHOUSE_TEST_ROUNDS'] ?? 200);
const records = fc.sample(recordArbitrary, { numRuns: 250, seed });
const engines = [
  { name: 'SQLite', open: openSqlite, skip: false },
  { name: 'PostgreSQL', open: openPostgres, skip: postgresIsMissing ?? false },
] as const;

for (const { name, open, skip } of engines) {
  suite(`${name} returns the same results as evaluate`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(records);
    });
    after(() => engine?.[Symbol.asyncDispose]());

    for (const [how, layout] of Object.entries(layoutsOf[name])) {
      test(`agrees with evaluate on random filters, ${how}`, async (t) => {
        await assertAgreement(t, engine, layout, filterArbitrary);
      });

      test(`agrees with evaluate on filters with values from the records, ${how}`, async (t) => {
        const filters = relatedFilterArbitrary(records);
        const share = await assertAgreement(t, engine, layout, filters);
        assert.ok(share > 0.1 && share < 0.9, `${share} of the results are true`);
      });
    }
  });
}

/**
 * Compares the results of filters on all records with `evaluate` and with the rules of the contract. Returns the
 * fraction of results that are true.
 */
async function assertAgreement(
  t: TestContext,
  engine: Engine,
  layout: SqlLayout,
  filters: fc.Arbitrary<Filter>,
): Promise<number> {
  let matched = 0;
  let evaluated = 0;
  const property = fc.asyncProperty(filters, async (filter) => {
    const found = await engine.select(filter, layout);
    const expected = records.flatMap((record, at) => (evaluate(filter, record) ? [at] : []));
    const differs = records.filter((_, at) => found.includes(at) !== expected.includes(at));
    assert.deepEqual(differs.slice(0, 1), [], JSON.stringify(print(filter)));
    const byContract = records.filter((record) => contractHolds(filter, record)).length;
    assert.equal(byContract, expected.length, JSON.stringify(print(filter)));
    assert.equal(await engine.isEverNull(filter, layout), false);
    matched += expected.length;
    evaluated += records.length;
  });
  await fc.assert(property, { numRuns, seed });
  t.diagnostic(`seed ${seed}: ${numRuns} filters on ${records.length} records, ${matched} matches`);
  return matched / evaluated;
}
