import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, suite, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { compile } from '../src/compiled/compile.ts';
import { evaluateInSteps } from '../src/compiled/in-steps.ts';
import { evaluate } from '../src/evaluate/evaluate.ts';
import type { Filter } from '../src/language/filter.ts';
import { print } from '../src/language/filter.ts';
import type { SqlLayout } from '../src/sql/index.ts';
import { filterArbitrary, recordArbitrary, scanningFilterArbitrary } from './arbitraries.ts';
import { contractHolds } from './contract-rules.ts';
import { type Engine, layoutsOf, openPostgres, openSqlite } from './engines.ts';
import { postgresIsMissing } from './postgres.ts';
import { relatedFilterArbitrary } from './related-arbitraries.ts';

const seed = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 31));
const numRuns = Number(process.env['GATEHOUSE_TEST_ROUNDS'] ?? 200);
const records = fc.sample(recordArbitrary, { numRuns: 250, seed });
const stored = records.map((record) => ({ ...record, metadata: JSON.stringify(record.metadata) }));
const engines = [
  { name: 'SQLite', open: openSqlite, skip: false },
  { name: 'PostgreSQL', open: openPostgres, skip: postgresIsMissing ?? false },
] as const;

test('an evaluation in steps agrees with evaluate', () => {
  const some = records.slice(0, 20);
  const property = fc.property(relatedFilterArbitrary(records), (filter) => {
    for (const record of some) {
      const steps = evaluateInSteps(filter, record);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      assert.equal(step.value, evaluate(filter, record), JSON.stringify(print(filter)));
    }
  });
  fc.assert(property, { numRuns, seed });
});

suite('a compiled filter returns the same results as evaluate', () => {
  test('agrees with evaluate on random filters', (t) => {
    assertCompiledAgreement(t, filterArbitrary);
  });

  test('agrees with evaluate on filters with values from the records', (t) => {
    const share = assertCompiledAgreement(t, relatedFilterArbitrary(records));
    assert.ok(share > 0.1 && share < 0.9, `${share} of the results are true`);
  });

  test('agrees with evaluate on filters with many patterns and searches', (t) => {
    const share = assertCompiledAgreement(t, scanningFilterArbitrary, Math.ceil(numRuns / 10));
    assert.ok(share > 0.05 && share < 0.95, `${share} of the results are true`);
  });
});

/** Compares the results of compiled filters on all records with `evaluate`. Returns the fraction of results that are true. */
function assertCompiledAgreement(
  t: TestContext,
  filters: fc.Arbitrary<Filter>,
  runs = numRuns,
): number {
  let matched = 0;
  const property = fc.property(filters, (filter) => {
    const accepts = compile(filter);
    for (const [at, record] of records.entries()) {
      const expected = evaluate(filter, record);
      const result = accepts(stored[at] ?? assert.fail());
      assert.equal(result, expected, JSON.stringify({ filter: print(filter), record }));
      if (expected) matched += 1;
    }
  });
  fc.assert(property, { numRuns: runs, seed });
  t.diagnostic(`seed ${seed}: ${runs} filters on ${records.length} records, ${matched} matches`);
  return matched / (runs * records.length);
}

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
