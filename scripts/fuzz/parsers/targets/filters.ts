import assert from 'node:assert/strict';
import {
  compile,
  evaluate,
  type FilterRecord,
  matchesEverything,
  parse,
  predicatesOf,
  print,
} from '../../../../packages/filter/src/index.ts';
import {
  indexedPart,
  narrowing,
  toPostgres,
  toSqlite,
} from '../../../../packages/filter/src/sql/index.ts';
import { recordWith } from '../../../../packages/filter/tests/sample-record.ts';
import type { Target } from '../target.ts';

const RECORDS: readonly FilterRecord[] = [
  recordWith({
    team: 'a',
    price: 5,
    tags: ['x', 'y'],
    nested: { a: { b: null } },
    text: 'Größe %_',
  }),
  recordWith({ team: ['a', 'b'], price: '5', big: 2 ** 60, flag: true }),
  recordWith({}),
];
const STORED = RECORDS.map((record) => ({ ...record, metadata: JSON.stringify(record.metadata) }));
const LAYOUT = { documents: 'documents' };

/** Filters as JSON. */
export const filters: Target = {
  name: 'filters',
  sources: ['/packages/filter/src/'],
  seeds: [
    '{"team":{"eq":"a"},"price":{"gte":1,"lt":1e3}}',
    '{"and":[{"tags":{"in":["x","z",null,true]}},{"not":{"nested.a.b":{"ne":1}}}]}',
    '{"or":[{"text":{"like":"gr%\\\\%_"}},{"fileName":{"like":"%.pdf"}},{"search":"größe travel"}]}',
    '{"price":{"tp":"number"},"flag":null,"createdAt":{"gt":"2026-01-01"}}',
    '{"language":{"eq":"en"},"nested":{"a":{"eq":1}}}',
    '{}',
  ],
  words: [
    '{"and":[',
    '{"or":[',
    '{"not":',
    '"search":',
    '"like":"%',
    '"in":[',
    '"tp":"array"',
    '"eq":',
    '"ne":null',
    'nested.a.b',
    'updatedAt',
    '__proto__',
    '\\\\',
    '\\ud800',
    '\\u0000',
    ']}',
    ',',
    'null',
  ],
  check(input) {
    const json = jsonOf(input);
    if (json === undefined) return;
    const result = parse(json);
    if (!result.ok) {
      assert.ok(result.problems.length > 0 && result.problems.length <= 100);
      return;
    }
    const { filter } = result;
    const again = parse(print(filter));
    assert.ok(again.ok, 'the printed filter is invalid');
    assert.deepEqual(again.filter, filter);
    const accepts = compile(filter);
    const weaker = compile(indexedPart(filter).filter);
    for (const [index, record] of RECORDS.entries()) {
      const expected = evaluate(filter, record);
      const stored = STORED[index] ?? assert.fail();
      assert.equal(accepts(stored), expected, 'the compiled filter differs');
      assert.ok(weaker(stored) || !expected, 'the indexed part is stricter');
      assert.ok(expected || !matchesEverything(filter), 'the filter does not match everything');
    }
    for (const translate of [toSqlite, toPostgres]) {
      const { parts, values } = translate(filter, LAYOUT);
      assert.equal(parts.length, values.length + 1);
    }
    narrowing(filter).narrowest([]);
    for (const { filter: predicate } of predicatesOf(json))
      evaluate(predicate, RECORDS[0] as FilterRecord);
  },
};

/** Returns `undefined` for an input that is not JSON. The target `chat` covers the parser of JSON. */
function jsonOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString());
  } catch {
    return undefined;
  }
}
