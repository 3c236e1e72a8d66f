import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from './crashes/child.suite.ts';
import { DirectoryInUse, lockDirectory } from './directory-lock.ts';
import { openStore, temporaryDirectory } from './open-store.suite.ts';

test('rejects a directory that another process uses, until that process is killed', async () => {
  using directory = temporaryDirectory();
  const child = startChild('./lock-and-hang.suite.ts', [directory.path]);
  try {
    assert.deepEqual(await child.lines.next(), { done: false, value: 'locked' });
    await assert.rejects(openStore(directory.path), (error: Error) => {
      assert.ok(error instanceof DirectoryInUse);
      assert.ok(error.message.includes(directory.path));
      return true;
    });
  } finally {
    await child.kill();
  }
  await (await openStore(directory.path))[Symbol.asyncDispose]();
});

test('a process cannot lock a directory twice, but can lock it again after releasing it', () => {
  using directory = temporaryDirectory();
  const lock = lockDirectory(directory.path);
  assert.throws(() => lockDirectory(directory.path), DirectoryInUse);
  lock[Symbol.dispose]();
  lockDirectory(directory.path)[Symbol.dispose]();
});
