import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logProblems } from './log-problems.ts';

test('reports warnings and errors once with their number, and ignores other lines', () => {
  const lines = [
    { level: 30, time: 1, msg: 'request' },
    { level: 50, time: 2, requestId: 'a', msg: 'failed' },
    { level: 50, time: 3, requestId: 'b', msg: 'failed' },
    { level: 40, time: 4, msg: 'slow' },
  ];
  const stdout = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  assert.deepEqual(logProblems({ output: () => ({ stdout, stderr: '' }) }), [
    'log, 2 times: {"level":50,"msg":"failed"}',
    'log, 1 times: {"level":40,"msg":"slow"}',
  ]);
});
