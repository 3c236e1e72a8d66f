import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  filterArbitrary,
  filterJsonArbitrary,
  parsed,
  recordArbitrary,
} from '../../tests/arbitraries.ts';
import { all, matchAll } from '../language/filter.ts';
import { evaluate } from './evaluate.ts';

const runs = { numRuns: 1000 };
const matchesJson = (json: unknown, record: Parameters<typeof evaluate>[1]) =>
  evaluate(parsed(json), record);

test('not is the complement of any filter on any record', () => {
  fc.assert(
    fc.property(filterJsonArbitrary, recordArbitrary, (filter, record) => {
      assert.equal(matchesJson({ not: filter }, record), !matchesJson(filter, record));
    }),
    runs,
  );
});

test('not twice changes nothing', () => {
  fc.assert(
    fc.property(filterJsonArbitrary, recordArbitrary, (filter, record) => {
      assert.equal(matchesJson({ not: { not: filter } }, record), matchesJson(filter, record));
    }),
    runs,
  );
});

test('De Morgan: not over and is or over nots, and the reverse', () => {
  const filters = fc.array(filterJsonArbitrary, { maxLength: 4 });
  fc.assert(
    fc.property(filters, recordArbitrary, (members, record) => {
      const complements = members.map((not) => ({ not }));
      assert.equal(
        matchesJson({ not: { and: members } }, record),
        matchesJson({ or: complements }, record),
      );
      assert.equal(
        matchesJson({ not: { or: members } }, record),
        matchesJson({ and: complements }, record),
      );
    }),
    runs,
  );
});

test('the order of members does not matter', () => {
  const filters = fc.array(filterJsonArbitrary, { maxLength: 4 });
  const shuffled = filters.chain((members) =>
    fc.tuple(fc.constant(members), fc.shuffledSubarray(members, { minLength: members.length })),
  );
  fc.assert(
    fc.property(shuffled, recordArbitrary, ([members, others], record) => {
      assert.equal(matchesJson({ and: members }, record), matchesJson({ and: others }, record));
      assert.equal(matchesJson({ or: members }, record), matchesJson({ or: others }, record));
    }),
    runs,
  );
});

test('the order of keys in an object does not matter', () => {
  fc.assert(
    fc.property(filterJsonArbitrary, recordArbitrary, (filter, record) => {
      const reversed = Object.fromEntries(Object.entries(filter).reverse());
      assert.equal(matchesJson(reversed, record), matchesJson(filter, record));
    }),
    runs,
  );
});

test('ne is not eq', () => {
  fc.assert(
    fc.property(fieldNames(), scalars(), recordArbitrary, (name, value, record) => {
      assert.equal(
        matchesJson({ [name]: { ne: value } }, record),
        !matchesJson({ [name]: { eq: value } }, record),
      );
    }),
    runs,
  );
});

test('in is an or of eq', () => {
  fc.assert(
    fc.property(fieldNames(), fc.array(scalars()), recordArbitrary, (name, values, record) => {
      assert.equal(
        matchesJson({ [name]: { in: values } }, record),
        matchesJson({ or: values.map((eq) => ({ [name]: { eq } })) }, record),
      );
    }),
    runs,
  );
});

test('a predicate of several operators is an and of predicates of one', () => {
  fc.assert(
    fc.property(fieldNames(), scalars(), recordArbitrary, (name, value, record) => {
      const [one, other] = [{ ne: value }, { tp: 'string' }];
      assert.equal(
        matchesJson({ [name]: { ...one, ...other } }, record),
        matchesJson({ and: [{ [name]: one }, { [name]: other }] }, record),
      );
    }),
    runs,
  );
});

test('exactly one type holds for each field', () => {
  const types = ['string', 'number', 'boolean', 'null', 'array', 'object', 'absent'];
  fc.assert(
    fc.property(fieldNames(), recordArbitrary, (name, record) => {
      const holding = types.filter((tp) => matchesJson({ [name]: { tp } }, record));
      assert.equal(holding.length, 1);
    }),
    runs,
  );
});

test('all holds when each of its filters does', () => {
  fc.assert(
    fc.property(fc.array(filterArbitrary), recordArbitrary, (filters, record) => {
      const each = filters.every((filter) => evaluate(filter, record));
      assert.equal(evaluate(all(...filters), record), each);
      assert.equal(evaluate(all(matchAll, all(...filters), matchAll), record), each);
    }),
    runs,
  );
});

function fieldNames(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'b', 'a.b', 'constructor', 'language', 'fileName');
}

function scalars(): fc.Arbitrary<string | number | boolean | null> {
  return fc.constantFrom('', 'a', 'A', '1', 0, 1, 1.5, true, false, null, 'en');
}
