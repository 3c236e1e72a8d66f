import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Shell } from '../shell/shell.ts';
import { readSecret } from './prompt.ts';

test('backspace removes the whole last character of a secret', async () => {
  const keyboard = new PassThrough();
  const stdin = Object.assign(keyboard, { isTTY: true, setRawMode: () => stdin });
  const terminal = { stdin, stderr: new PassThrough() };
  const secret = readSecret(
    terminal as unknown as Pick<Shell, 'stdin' | 'stderr'>,
    'Password: ',
    new AbortController().signal,
  );
  keyboard.write('a\u{1F600}\u007Fb\r');
  assert.equal(await secret, 'ab');
});
