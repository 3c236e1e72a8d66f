import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { parsed } from './arbitraries.ts';
import { type Engine, indexed, openSqlite } from './engines.ts';
import { recordWith } from './sample-record.ts';

/** Enough records for the planner to prefer an index. */
const records = Array.from({ length: 3000 }, (_, at) =>
  recordWith({ team: at % 1000, public: at % 2, acl: [{ group: at % 1000 }, { group: 'all' }] }),
);
const indexIsUsed = /SEARCH v USING PRIMARY KEY \(space_id=\? AND path=\? AND value=\?/;

suite('SQLite uses the values table', () => {
  let engine: Engine;
  before(async () => {
    engine = await openSqlite(records);
  });
  after(() => engine?.[Symbol.asyncDispose]());

  test('`eq` uses only index lookups', async () => {
    const plan = await engine.explain(parsed({ team: { eq: 7 } }), indexed);
    assert.match(plan, indexIsUsed);
    assert.doesNotMatch(plan, /SCAN/);
  });

  test('`eq` on a path through an array uses only index lookups', async () => {
    const filter = parsed({ 'acl.group': { eq: 7 } });
    const plan = await engine.explain(filter, indexed);
    assert.match(plan, indexIsUsed);
    assert.doesNotMatch(plan, /SCAN/);
    assert.deepEqual(await engine.select(filter, indexed), [7, 1007, 2007]);
  });

  for (const predicate of [{ ne: 7 }, { in: [7, 8, 'hr'] }, { eq: 7, ne: 8 }]) {
    test(`${JSON.stringify(predicate)} uses an index lookup`, async () => {
      const plan = await engine.explain(parsed({ team: predicate }), indexed);
      assert.match(plan, indexIsUsed);
    });
  }
});
