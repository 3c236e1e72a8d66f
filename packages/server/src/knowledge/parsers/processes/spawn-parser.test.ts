import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROCESS_LIMITS } from '../limits.ts';
import { spawnParser } from './spawn-parser.ts';

test('a parser process can only read its code', async () => {
  process.env['GATEHOUSE_SECRET'] = 'a-secret';
  const program = new URL('./forbidden-operations.suite.ts', import.meta.url).pathname;
  const child = spawnParser(PROCESS_LIMITS.memoryBytes, program);
  const output = Buffer.concat(await Array.fromAsync(child.stdout)).toString();
  const denied = 'ERR_ACCESS_DENIED';
  assert.deepEqual(JSON.parse(output), {
    'read its code': 'permitted',
    'read another file': denied,
    'write its code': denied,
    'write another file': denied,
    'start a process': denied,
    'start a thread': denied,
    'use the network': denied,
    'read a secret of the service': 'missing',
  });
});
