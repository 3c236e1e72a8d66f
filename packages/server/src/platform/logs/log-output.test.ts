import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../tests/support/until.ts';
import { LogOutput } from './log-output.ts';

/** Opens a named pipe for reading and writing, which never waits. */
function openPipe(): Disposable & { readonly fd: number; readonly read: () => string } {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(1_000_000);
  const read = () => {
    try {
      return buffer.toString('utf8', 0, readSync(fd, buffer));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      return '';
    }
  };
  const dispose = () => {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  };
  return { fd, read, [Symbol.dispose]: dispose };
}

const LINE = `${'x'.repeat(999)}\n`;

for (const mode of ['at-once', 'buffered'] as const)
  test(`lines that do not fit are counted, and the others are written when the reader continues (${mode})`, async () => {
    using pipe = openPipe();
    let lost = 0;
    const output = new LogOutput({
      fd: pipe.fd,
      mode,
      maxWaitingBytes: 10_000,
      onLost: (lines) => {
        lost += lines;
        output.write('lost\n');
      },
    });
    let [sent, text] = [0, ''];
    // A pipe has 64 KiB on most machines, and at most 1 MiB.
    for (let turn = 0; turn < 300; turn += 1) {
      for (let count = 0; count < 5; count += 1) output.write(LINE);
      sent += 5;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    await until('the loss is reported', () => {
      text += pipe.read();
      return text.includes('lost\n');
    });
    output.flush();
    text += pipe.read();
    const written = text.split('\n').filter((line) => line.length === 999).length;
    assert.ok(lost > 0 && written > 0);
    assert.equal(written + lost, sent);
  });

test('flush ends although nobody reads, and the lines are written when the reader continues', async () => {
  using pipe = openPipe();
  const output = new LogOutput({
    fd: pipe.fd,
    mode: 'buffered',
    maxWaitingBytes: 2_000_000,
    onLost: () => assert.fail('no line is lost'),
  });
  for (let count = 0; count < 1_500; count += 1) output.write(LINE);
  output.flush();
  output.write('last\n');
  let text = '';
  await until('all lines are written', () => {
    text += pipe.read();
    return text.endsWith('last\n');
  });
  assert.ok(text.split('\n').filter((line) => line.length === 999).length >= 1_499);
});
