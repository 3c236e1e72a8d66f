import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkColumns, checkLink, storedChecks } from './link-checks.rules.ts';

test('stored checks equal the checks of the request', () => {
  const request = { permissionFilter: { team: { eq: 'a' } }, widget: { titel: 'x' } };
  const checks = checkLink(request);
  assert.equal(checks.isRestricted, true);
  assert.equal(checks.warnings.length, 1);
  assert.deepEqual(storedChecks({ ...checkColumns(checks), unchecked_payload: null }), checks);
});

test('a link of an earlier release is checked by its payload', () => {
  const earlier = { restricted: null, warnings: null };
  for (const [permissionFilter, isRestricted] of [
    [{ team: { eq: 'a' } }, true],
    [{ and: [] }, false],
    [undefined, false],
    [{ team: 'invalid' }, true],
  ] as const) {
    const unchecked_payload = JSON.stringify({ v: 1, permissionFilter, widget: { titel: 'x' } });
    const checks = storedChecks({ ...earlier, unchecked_payload });
    assert.equal(checks.isRestricted, isRestricted);
    assert.equal(checks.warnings.length, 1);
  }
});
