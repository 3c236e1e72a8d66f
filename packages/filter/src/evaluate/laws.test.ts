import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  filterArbitrary,
  filterJsonArbitrary,
  parsed,
  recordArbitrary,
} from '../../tests/arbitraries.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { recordWith } from '../../tests/sample-record.ts';
import { all, matchAll } from '../language/filter.ts';
import { evaluate } from './evaluate.ts';

const runs = { numRuns: roundsOf(200, 1000) };
const matchesJson = (json: unknown, record: Parameters<typeof evaluate>[1]) =>
  evaluate(parsed(json), record);

test('`not` is the exact complement of any filter', () => {
  fc.assert(
    fc.property(filterJsonArbitrary, recordArbitrary, (filter, record) => {
      assert.equal(matchesJson({ not: filter }, record), !matchesJson(filter, record));
    }),
    runs,
  );
});

test('double negation has no effect', () => {
  fc.assert(
    fc.property(filterJsonArbitrary, recordArbitrary, (filter, record) => {
      assert.equal(matchesJson({ not: { not: filter } }, record), matchesJson(filter, record));
    }),
    runs,
  );
});

test('`and`, `or` and `not` satisfy De Morgan’s laws', () => {
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

test('the order of the members of `and` and `or` does not matter', () => {
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

test('`ne` is the complement of `eq`', () => {
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

test('`in` is equivalent to an `or` of `eq` predicates', () => {
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

test('a predicate with two operators is equivalent to an `and` of two predicates', () => {
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

test('each field has a type, and only a path through an array has several types', () => {
  const types = ['string', 'number', 'boolean', 'null', 'array', 'object', 'absent'];
  fc.assert(
    fc.property(fieldNames(), recordArbitrary, (name, record) => {
      const matching = types.filter((tp) => matchesJson({ [name]: { tp } }, record));
      if (name.includes('.') && !matching.includes('absent')) assert.ok(matching.length >= 1);
      else assert.equal(matching.length, 1);
    }),
    runs,
  );
});

test('a comparison other than `ne` matches an array if and only if it matches at least one element', () => {
  const operators = fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte');
  const operands = scalars().filter((value) => typeof value === 'string');
  const elements = fc.array(scalars().filter((value) => value !== null));
  fc.assert(
    fc.property(operators, operands, elements, (operator, operand, a) => {
      const filter = { a: { [operator]: operand } };
      const some = a.some((element) => matchesJson(filter, recordWith({ a: element })));
      assert.equal(matchesJson(filter, recordWith({ a })), some);
      const list = a.map((b) => ({ b }));
      const onPath = { 'a.b': { [operator]: operand } };
      assert.equal(matchesJson(onPath, recordWith({ a: list })), some);
      assert.equal(matchesJson(onPath, recordWith({ a: [list] })), some);
    }),
    runs,
  );
});

test('the result of all() matches if and only if every given filter matches', () => {
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
