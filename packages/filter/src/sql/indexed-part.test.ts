import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterArbitrary, parsed, recordArbitrary } from '../../tests/arbitraries.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { relatedFilterArbitrary } from '../../tests/related-arbitraries.ts';
import { evaluate } from '../evaluate/evaluate.ts';
import { matchAll, print } from '../language/filter.ts';
import type { JsonObject } from '../language/json.ts';
import { indexedPart } from './indexed-part.ts';

const records = fc.sample(recordArbitrary, 200);

function part(filter: JsonObject) {
  const { filter: indexed, omitted } = indexedPart(parsed(filter));
  return { filter: print(indexed), omitted };
}

for (const [name, filters] of [
  ['random filters', filterArbitrary],
  ['filters related to the records', relatedFilterArbitrary(records)],
] as const)
  test(`the indexed part accepts every document that the filter accepts: ${name}`, () => {
    const property = fc.property(filters, (filter) => {
      const { filter: indexed, omitted } = indexedPart(filter);
      for (const record of records) {
        const isAccepted = evaluate(filter, record);
        if (isAccepted || omitted === 0) assert.equal(evaluate(indexed, record), isAccepted);
      }
    });
    fc.assert(property, { numRuns: roundsOf(100, 500) });
  });

test('operators on metadata scalars are indexed, and all others are omitted', () => {
  const filter = { and: [{ a: { eq: 1 } }, { b: { in: ['x'] } }, { not: { c: { ne: true } } }] };
  assert.deepEqual(part(filter), { filter, omitted: 0 });
  for (const omitted of [
    { a: { eq: null } },
    { a: { in: [1, null] } },
    { a: { like: 'x%' } },
    { not: { a: { gt: 1 } } },
    { search: 'x' },
    { fileName: { eq: 'x' } },
    { or: [{ a: { eq: 1 } }, { a: { tp: 'array' } }] },
  ])
    assert.deepEqual(part(omitted), { filter: print(matchAll), omitted: 1 });
});

test('the indexed members of an and remain, also inside a not', () => {
  assert.deepEqual(part({ and: [{ a: { eq: 1 } }, { b: { like: 'x%' } }] }), {
    filter: { and: [{ a: { eq: 1 } }] },
    omitted: 1,
  });
  assert.deepEqual(part({ not: { or: [{ a: { eq: 1 } }, { b: { like: 'x%' } }] } }), {
    filter: { not: { or: [{ a: { eq: 1 } }] } },
    omitted: 1,
  });
});
