import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { cachedDataVersionTag } from 'node:v8';
import { createObjectsYoung, PRETENURING_OPTION } from './young-generation.ts';

test('V8 knows the option that creates objects in the old generation', () => {
  // `setFlagsFromString` ignores unknown options, but a process with an unknown option does not start.
  for (const [name, status] of [
    [`--no-${PRETENURING_OPTION}`, 0],
    ['--no-allocation-place-pretenuring', 9],
  ] as const) {
    const started = spawnSync(process.execPath, [name, '--eval', '0']);
    assert.equal(started.status, status, started.stderr.toString());
  }
});

test('createObjectsYoung changes the options of V8', () => {
  const before = cachedDataVersionTag();
  createObjectsYoung();
  assert.notEqual(cachedDataVersionTag(), before);
});
