import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerDirectives } from './robots-directives.rules.ts';

test('X-Robots-Tag applies to all robots or to the robot that it names', () => {
  const cases: readonly [readonly string[], boolean, boolean][] = [
    [[], false, false],
    [['NoIndex, nofollow'], true, true],
    [['none'], true, true],
    [['noindex nofollow'], true, true],
    [['otherbot: noindex, nofollow'], false, false],
    [['otherbot: noindex', 'nofollow'], false, true],
    [['otherbot: noindex, Gatehouse-Crawler: nofollow'], false, true],
    [['max-snippet: 20, noindex'], true, false],
    [['unavailable_after: 25 Jun 2027 15:00:00 UTC, nofollow'], false, true],
  ];
  for (const [lines, noindex, nofollow] of cases)
    assert.deepEqual(headerDirectives(lines), { noindex, nofollow }, lines.join(' | '));
});
