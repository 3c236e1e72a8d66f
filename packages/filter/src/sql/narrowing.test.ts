import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { filterArbitrary, parsed, recordArbitrary } from '../../tests/arbitraries.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { relatedFilterArbitrary } from '../../tests/related-arbitraries.ts';
import { evaluate } from '../evaluate/evaluate.ts';
import type { FilterRecord } from '../evaluate/record.ts';
import { all, matchAll } from '../language/filter.ts';
import type { JsonObject } from '../language/json.ts';
import { narrowing, type ValueLookup } from './narrowing.ts';
import { indexedValues } from './stored-values.ts';

const records = fc.sample(recordArbitrary, 200);

function isFound({ metadata }: FilterRecord, lookups: readonly ValueLookup[]): boolean {
  const values = indexedValues(metadata);
  return lookups.some((lookup) =>
    values.some(({ path, value }) => path === lookup.path && lookup.values.includes(value)),
  );
}

function narrowest(filter: JsonObject, counts: Readonly<Record<string, number>>) {
  const { lookups, narrowest } = narrowing(parsed(filter));
  return narrowest(lookups.map(({ path }) => counts[path] ?? 0));
}

describe('narrowing', () => {
  for (const [name, filters] of [
    ['random filters', filterArbitrary],
    ['filters related to the records', relatedFilterArbitrary(records)],
  ] as const)
    test(`the chosen lookups find all matching documents for any counts: ${name}`, () => {
      const property = fc.property(filters, fc.array(fc.nat()), (filter, counts) => {
        const chosen = narrowing(filter).narrowest(counts);
        if (chosen === null) return;
        for (const record of records)
          if (evaluate(filter, record)) assert.ok(isFound(record, chosen.lookups));
      });
      fc.assert(property, { numRuns: roundsOf(100, 500) });
    });

  test('chooses the lookup with the fewest documents among the members of an `and`', () => {
    const filter = { team: { eq: 'a' }, owner: { in: ['x', 'y'] }, level: { gt: 3 } };
    assert.deepEqual(narrowest(filter, { team: 9, owner: 2 }), {
      lookups: [{ path: 'owner', values: ['"x"', '"y"'] }],
      count: 2,
    });
    const joined = all(parsed({ team: { eq: 'a' } }), parsed({ owner: { eq: 'x' } }));
    assert.equal(narrowing(joined).narrowest([5, 8])?.lookups[0]?.path, 'team');
  });

  test('requires a lookup for every member of an `or`', () => {
    const filter = { or: [{ team: { eq: 'a' } }, { owner: { eq: 'x' }, level: { eq: 3 } }] };
    const chosen = narrowest(filter, { team: 9, owner: 4, level: 2 });
    assert.deepEqual(
      chosen?.lookups.map(({ path }) => path),
      ['team', 'level'],
    );
    assert.equal(chosen?.count, 11);
  });

  for (const filter of [
    {},
    { team: { ne: 'a' } },
    { not: { team: { eq: 'a' } } },
    { team: null },
    { team: { in: ['a', null] } },
    { or: [{ team: { eq: 'a' } }, { level: { gt: 3 } }] },
    { fileName: { eq: 'a.txt' } },
    { search: 'a' },
  ])
    test(`cannot narrow ${JSON.stringify(filter)}`, () => {
      assert.equal(narrowest(filter, { team: 1 }), null);
    });

  test('matchAll has no lookups', () => {
    assert.deepEqual(narrowing(matchAll).lookups, []);
  });
});
