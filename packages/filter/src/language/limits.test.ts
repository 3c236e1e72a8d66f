import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from './limits.ts';
import { type ParseResult, parse } from './parse.ts';

const leaf = { a: { eq: 1 } };
const repeat = <Item>(length: number, item: Item): Item[] => Array.from({ length }, () => item);

function nested(depth: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let filter = innermost;
  for (let level = 1; level < depth; level += 1) filter = wrap(filter);
  return filter;
}

function messages(result: ParseResult): string {
  return result.ok ? 'accepted' : result.problems.map(({ message }) => message).join('; ');
}

/** The name of each limit, its value, a function that creates a filter of a given size, and the error message. */
const cases: readonly (readonly [
  name: string,
  limit: number,
  make: (size: number) => unknown,
  message: RegExp,
])[] = [
  ['nested not', limits.depth, (n) => nested(n, (not) => ({ not }), leaf), /levels deep$/],
  ['nested and', limits.depth, (n) => nested(n, (one) => ({ and: [one] }), leaf), /levels deep$/],
  ['nested or', limits.depth, (n) => nested(n, (one) => ({ or: [one] }), {}), /levels deep$/],
  [
    'nested objects with two members in the innermost object',
    limits.depth - 1,
    (n) => nested(n, (not) => ({ not }), { a: null, b: null }),
    /levels deep$/,
  ],
  ['members of an and', limits.nodes - 1, (n) => ({ and: repeat(n, leaf) }), /nodes/],
  ['empty members of an or', limits.nodes - 1, (n) => ({ or: repeat(n, {}) }), /nodes/],
  [
    'fields in one object',
    limits.nodes - 1,
    (n) => Object.fromEntries(repeat(n, null).map((_, index) => [`k${index}`, null])),
    /nodes/,
  ],
  [
    'pairs of operators',
    (limits.nodes - 2) / 3,
    (n) => ({ and: [...repeat(n, { a: { gt: 1, lt: 2 } }), leaf] }),
    /nodes/,
  ],
  ['values in an in', limits.values, (n) => ({ a: { in: repeat(n, 'x') } }), /values$/],
  ['characters of eq', limits.characters, (n) => ({ a: { eq: 'x'.repeat(n) } }), /characters$/],
  ['characters of in', limits.characters, (n) => ({ a: { in: ['x'.repeat(n)] } }), /characters$/],
  ['characters of gt', limits.characters, (n) => ({ a: { gt: 'é'.repeat(n) } }), /characters$/],
  ['characters of like', limits.characters, (n) => ({ a: { like: '%'.repeat(n) } }), /characters$/],
  ['characters of search', limits.characters, (n) => ({ search: 'x'.repeat(n) }), /characters$/],
  ['characters of a name', limits.characters, (n) => ({ ['x'.repeat(n)]: null }), /characters$/],
  ['code points', limits.characters, (n) => ({ a: { eq: '😀'.repeat(n) } }), /characters$/],
  ['keys of a name', limits.depth, (n) => ({ [repeat(n, 'k').join('.')]: null }), /keys$/],
];

describe('limits of a filter', () => {
  for (const [name, limit, make, message] of cases) {
    test(`accepts ${limit}, but not ${limit + 1}: ${name}`, () => {
      assert.equal(messages(parse(make(limit - 1))), 'accepted');
      assert.equal(messages(parse(make(limit))), 'accepted');
      assert.match(messages(parse(make(limit + 1))), message);
    });
  }
});

describe('hostile filters', { timeout: 20_000 }, () => {
  const depth = 200_000;
  const width = 100_000;
  const hostile: Readonly<Record<string, () => unknown>> = {
    'not inside not': () => nested(depth, (not) => ({ not }), leaf),
    'and inside and': () => nested(depth, (one) => ({ and: [one] }), leaf),
    'arrays as a filter': () => ({ and: nested(depth, (one) => [one], 1) }),
    'arrays as an operand': () => ({ a: { eq: nested(depth, (one) => [one], 1) } }),
    'objects as an operand': () => ({ a: { eq: nested(depth, (one) => ({ one }), 1) } }),
    'objects as a predicate': () => ({ a: nested(depth, (one) => ({ one }), 1) }),
    'arrays as a value of in': () => ({ a: { in: [nested(depth, (one) => [one], 1)] } }),
    'members of an and': () => ({ and: repeat(width, leaf) }),
    'invalid members of an or': () => ({ or: repeat(width, 1) }),
    fields: () => Object.fromEntries(repeat(width, 1).map((_, index) => [`k${index}`, leaf.a])),
    'unknown operators': () => ({
      a: Object.fromEntries(repeat(width, 1).map((_, index) => [`gtt${index}`, 1])),
    }),
    'values of an in': () => ({ a: { in: repeat(width, []) } }),
    'a string': () => ({ a: { eq: 'x'.repeat(50_000_000) } }),
    'escapes of a pattern': () => ({ a: { like: '\\'.repeat(width) } }),
    'dots of a name': () => ({ ['.'.repeat(width)]: null }),
    'a cyclic and': () => {
      const branching: { and: unknown[] } = { and: [] };
      branching.and.push(branching, branching);
      return branching;
    },
  };
  for (const [name, make] of Object.entries(hostile)) {
    test(`rejects a hostile filter quickly: ${name}`, () => {
      const result = parse(make());
      assert.ok(!result.ok);
      assert.ok(result.problems.length <= 100);
    });
  }
});

test('reports an oversized filter only once', () => {
  const result = parse({ and: repeat(1000, leaf) });
  assert.deepEqual(result.ok ? [] : result.problems.map(({ path }) => path), ['']);
});
