import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { parsed } from './arbitraries.ts';
import { type Engine, indexed, openSqlite } from './engines.ts';
import { recordWith } from './sample-record.ts';

/** Enough for a planner to prefer an index. */
const records = Array.from({ length: 3000 }, (_, at) =>
  recordWith({ team: at % 1000, public: at % 2 }),
);
const indexIsUsed = /SEARCH v USING PRIMARY KEY \(space_id=\? AND path=\? AND value=\?/;

suite('SQLite finds documents by the table of values', () => {
  let engine: Engine;
  before(async () => {
    engine = await openSqlite(records);
  });
  after(() => engine?.[Symbol.asyncDispose]());

  test('eq looks nothing up but its value and the documents that have it', async () => {
    const plan = await engine.explain(parsed({ team: { eq: 7 } }), indexed);
    assert.match(plan, indexIsUsed);
    assert.doesNotMatch(plan, /SCAN/);
  });

  for (const predicate of [{ ne: 7 }, { in: [7, 8, 'hr'] }, { eq: 7, ne: 8 }]) {
    test(`${JSON.stringify(predicate)} looks its values up`, async () => {
      const plan = await engine.explain(parsed({ team: predicate }), indexed);
      assert.match(plan, indexIsUsed);
    });
  }
});
