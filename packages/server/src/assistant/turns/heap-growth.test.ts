import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { HEAP_GROWTH_OPTION } from './heap-growth.ts';

test('V8 knows the option that limits the growth of the heap', () => {
  // `setFlagsFromString` ignores unknown options, but a process with an unknown option does not start.
  for (const [option, status] of [
    [HEAP_GROWTH_OPTION, 0],
    ['--heap-growing-permille', 9],
  ] as const) {
    const started = spawnSync(process.execPath, [`${option}=30`, '--eval', '0']);
    assert.equal(started.status, status, started.stderr.toString());
  }
});
