import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from './json.ts';
import { parse } from './parse.ts';
import { matchesEverything } from './trivial.ts';

const isTrivial = (json: JsonObject) => {
  const result = parse(json);
  assert.ok(result.ok);
  return matchesEverything(result.filter);
};

const TEAM = { team: { eq: 'a' } };
const TRIVIAL: readonly JsonObject[] = [
  {},
  { and: [] },
  { and: [{ and: [] }, {}] },
  { and: [], not: { or: [] } },
  { or: [{}, TEAM] },
  { or: [TEAM, { and: [{ not: { or: [] } }] }] },
  { not: { or: [] } },
  { not: { not: {} } },
  { not: { team: { in: [] } } },
  { not: { and: [TEAM, { or: [] }] } },
];
for (const json of TRIVIAL)
  test(`${JSON.stringify(json)} matches everything trivially`, () => {
    assert.equal(isTrivial(json), true);
  });

const RESTRICTING: readonly JsonObject[] = [
  TEAM,
  { or: [] },
  { not: {} },
  { and: [TEAM] },
  { or: [TEAM] },
  { not: TEAM },
  { not: { or: [TEAM] } },
  { team: { in: [] } },
  { team: null },
  { and: [{}, { or: [] }] },
  { or: [{ not: {} }, TEAM] },
];
for (const json of RESTRICTING)
  test(`${JSON.stringify(json)} does not match everything trivially`, () => {
    assert.equal(isTrivial(json), false);
  });
