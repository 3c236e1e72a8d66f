import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsed } from '../../tests/arbitraries.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { maxProblems } from './limits.ts';
import { parse } from './parse.ts';

/** Returns the problems of an invalid filter, one line per problem. */
function problems(json: unknown): readonly string[] {
  const result = parse(json);
  assert.ok(!result.ok, `accepted: ${JSON.stringify(json)}`);
  return result.problems.map(({ path, message }) => `${path}: ${message}`);
}

const paths = (json: unknown) => problems(json).map((line) => line.slice(0, line.indexOf(': ')));

test('returns a filter or problems for any JSON value and never throws', () => {
  const names = fc.constantFrom(
    'and',
    'or',
    'not',
    'search',
    'a',
    'eq',
    'in',
    'fields',
    '__proto__',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(names, tie('value')), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(value, (json) => {
      const result = parse(json);
      assert.ok(result.ok || result.problems.length > 0);
    }),
    { numRuns: roundsOf(1000, 5000) },
  );
});

test('rejects values that JSON cannot represent', () => {
  for (const value of [undefined, 1n, () => 1, Symbol('x'), new Date(0), new Map(), new Set()]) {
    for (const json of [
      value,
      { not: value },
      { and: [value] },
      { a: value },
      { a: { eq: value } },
    ]) {
      assert.equal(parse(json).ok, false);
    }
  }
  assert.equal(parse({ and: new Array(3) }).ok, false);
  assert.equal(parse({ a: { eq: Number.NaN } }).ok, false);
});

test('accepts an object without a prototype', () => {
  assert.ok(parse(Object.assign(Object.create(null), { a: null })).ok);
});

test('reports all problems with their paths', () => {
  const json = {
    and: [{}, { pric: { gtee: 1 } }, { price: { gt: null, tp: 'text' } }],
    or: {},
    not: [{ a: null }],
    search: 7,
    'a b': 4,
    groups: ['a'],
    'a.b': { eq: {} },
    tags: { in: [1, [2], {}] },
    empty: {},
  };
  assert.deepEqual(problems(json), [
    'and[1].pric.gtee: unknown operator (did you mean "gte"?)',
    'and[2].price.gt: must be a number or a string, not null',
    'and[2].price.tp: must be one of string, number, boolean, null, array, object, absent',
    'or: must be an array of filters, not an object',
    'not: must be a filter object, not an array',
    'search: must be a string, not a number',
    '["a b"]: must be an object of operators such as {"eq": …}, not a number',
    'groups: must be an object of operators such as {"in": …}, not an array',
    '["a.b"].eq: must be a string, number, boolean or null, not an object',
    'tags.in[1]: must be a string, number, boolean or null, not an array',
    'tags.in[2]: must be a string, number, boolean or null, not an object',
    'empty: must contain at least one operator: eq, ne, in, gt, gte, lt, lte, like, tp',
  ]);
});

test('rejects a root that is not an object', () => {
  for (const [json, kind] of [
    [null, 'null'],
    [[], 'an array'],
    ['{}', 'a string'],
    [0, 'a number'],
    [true, 'a boolean'],
  ] as const) {
    assert.deepEqual(problems(json), [`: must be a filter object, not ${kind}`]);
  }
});

test('rejects operands of the wrong type for every operator', () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    eq: [[], {}, ['a']],
    ne: [[], {}, ['a']],
    in: ['a', 1, true, null, {}],
    gt: [true, null, [], {}],
    gte: [true, null, [], {}],
    lt: [true, null, [], {}],
    lte: [true, null, [], {}],
    like: [1, true, null, [], {}],
    tp: [1, true, null, [], {}, 'String', 'integer', 'constructor', '', ['string']],
  };
  for (const [operator, operands] of Object.entries(wrong)) {
    for (const operand of operands) {
      assert.deepEqual(paths({ a: { [operator]: operand } }), [`a.${operator}`]);
    }
  }
});

test('suggests the equivalent of an operator from another query language', () => {
  for (const [written, known] of [
    ['$eq', 'eq'],
    ['=', 'eq'],
    ['neq', 'ne'],
    ['>=', 'gte'],
    ['<', 'lt'],
    ['ILIKE', 'like'],
    ['type', 'tp'],
  ] as const) {
    const [problem] = problems({ a: { [written]: 1 } });
    assert.ok(problem?.endsWith(`unknown operator (did you mean "${known}"?)`), written);
  }
});

test('suggests the correct name of a misspelled connective', () => {
  assert.match(problems({ AND: [] })[0] ?? '', /\(did you mean "and"\?\)$/);
  assert.match(problems({ $or: [] })[0] ?? '', /\(did you mean "or"\?\)$/);
  assert.match(problems({ serach: 'x' })[0] ?? '', /\(did you mean "search"\?\)$/);
});

test('explains that `fields` is not supported as a wrapper, but accepts `fields` as a field name', () => {
  assert.deepEqual(problems({ fields: { price: { eq: 1 }, name: { eq: 'x' } } }), [
    'fields: is not supported as a wrapper; move its members to the top level of the filter',
  ]);
  assert.ok(parse({ fields: { eq: 1 } }).ok);
  assert.deepEqual(paths({ fields: { eqq: 1 } }), ['fields.eqq']);
});

test('rejects a search text that would match all records', () => {
  for (const search of ['', ' ', '.', '*', '%', '_', '?', '.*', ' * ', '%_%', '\t', '\u00a0']) {
    assert.deepEqual(paths({ search }), ['search'], JSON.stringify(search));
  }
  for (const search of ['a', '*.pdf', 'C?', '-']) assert.ok(parse({ search }).ok, search);
});

test('rejects strings with U+0000 or an unpaired surrogate in all parts of a filter', () => {
  for (const bad of ['a\0', '\ud800', 'x\udc00y']) {
    for (const json of [
      { a: { eq: bad } },
      { a: { ne: bad } },
      { a: { in: ['x', bad] } },
      { a: { gt: bad } },
      { a: { like: bad } },
      { search: bad },
      { [bad]: null },
      { [`a.${bad}`]: { eq: 1 } },
    ]) {
      assert.equal(problems(json).length, 1, JSON.stringify(json));
    }
  }
  assert.ok(parse({ '😀': { eq: '😀' } }).ok);
});

test('rejects numbers outside the range of doubles', () => {
  for (const text of ['1e400', '-1e400']) {
    assert.deepEqual(paths(JSON.parse(`{"a": {"eq": ${text}}}`)), ['a.eq']);
    assert.deepEqual(paths(JSON.parse(`{"a": {"gt": ${text}}}`)), ['a.gt']);
    assert.deepEqual(paths(JSON.parse(`{"a": {"in": [1, ${text}]}}`)), ['a.in[1]']);
  }
});

test('rejects a field name with an empty part', () => {
  for (const name of ['', '.', 'a.', '.a', 'a..b']) {
    assert.deepEqual(paths({ [name]: null }), [`[${JSON.stringify(name)}]`]);
  }
});

test('rejects a dotted name that starts with a reserved name', () => {
  for (const name of ['fileName.x', 'language.a.b', 'and.x', 'search.x']) {
    assert.deepEqual(paths({ [name]: { eq: 1 } }), [`["${name}"]`]);
  }
  assert.ok(parse({ 'a.fileName': null, 'a.and': null }).ok);
});

test('accepts inherited property names as field names', () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf']) {
    assert.deepEqual(parsed(JSON.parse(`{"${name}": {"eq": 1}}`)), {
      kind: 'eq',
      field: { source: 'metadata', path: [name] },
      value: 1,
    });
    assert.deepEqual(paths(JSON.parse(`{"a": {"${name}": 1}}`)), [`a.${name}`]);
  }
  assert.deepEqual(paths(JSON.parse('{"__proto__": 1}')), ['__proto__']);
});

test('rejects a pattern that ends with an incomplete escape', () => {
  for (const like of ['\\', 'a\\', '\\\\\\']) assert.deepEqual(paths({ a: { like } }), ['a.like']);
  for (const like of ['\\\\', 'a\\%', '\\\\\\\\']) assert.ok(parse({ a: { like } }).ok, like);
});

test('also reports problems in the predicate of a field whose name is invalid', () => {
  assert.deepEqual(paths({ 'a..b': { eqq: 1, gt: null } }), [
    '["a..b"]',
    '["a..b"].eqq',
    '["a..b"].gt',
  ]);
});

test('limits the number of reported problems', () => {
  const json = { and: Array.from({ length: 400 }, () => ({ a: { eq: [] } })) };
  assert.equal(problems(json).length, maxProblems);
});

test('shortens long keys in the messages of problems', () => {
  const [problem] = problems({ [`${'k'.repeat(1_000_000)} `]: { eq: 1 } });
  assert.ok(problem !== undefined && problem.length < 200);
});

test('combines several members with an `and` node, but does not add a node for a single member', () => {
  const field = { source: 'metadata', path: ['a', 'b'] };
  assert.deepEqual(parsed({ 'a.b': { gt: 1, lt: 3 }, language: { eq: 'de' } }), {
    kind: 'and',
    members: [
      { kind: 'gt', field, value: 1 },
      { kind: 'lt', field, value: 3 },
      { kind: 'eq', field: { source: 'document', name: 'language' }, value: 'de' },
    ],
  });
  assert.deepEqual(parsed({ not: { search: 'x' } }), {
    kind: 'not',
    member: { kind: 'search', text: 'x' },
  });
});
