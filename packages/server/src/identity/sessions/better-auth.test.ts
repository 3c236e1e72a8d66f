import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const PROGRAM = `
import { closeSync, openSync } from 'node:fs';
import { lazyBetterAuth } from ${JSON.stringify(import.meta.resolve('./better-auth.ts'))};

const auth = lazyBetterAuth({
  db: {},
  secret: 'x'.repeat(32),
  clock: Date.now,
  maySignIn: async () => true,
  warn() {},
});
const files = [];
try {
  for (;;) files.push(openSync('/dev/null', 'r'));
} catch {}
const failed = await auth().catch((error) => error);
for (const file of files) closeSync(file);
const { hashPassword } = await auth();
console.log(failed instanceof Error, typeof hashPassword);
`;

test('a failed load of better-auth, such as with too many open files, is tried again', () => {
  const args = ['--input-type=module', '--eval', PROGRAM];
  const command = ['-c', 'ulimit -n 80; exec "$0" "$@"', process.execPath, ...args];
  assert.equal(execFileSync('sh', command, { encoding: 'utf8' }), 'true function\n');
});
