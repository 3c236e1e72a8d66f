import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { HEAP_OPTIONS } from './heap-growth.ts';

test('V8 knows the options that limit the growth of the heap', () => {
  // `setFlagsFromString` ignores unknown options, but a process with an unknown option does not start.
  for (const [name, status] of [
    ...HEAP_OPTIONS.map((option) => [option.name, 0] as const),
    ['--heap-growing-permille', 9] as const,
  ]) {
    const started = spawnSync(process.execPath, [`${name}=1`, '--eval', '0']);
    assert.equal(started.status, status, started.stderr.toString());
  }
});
