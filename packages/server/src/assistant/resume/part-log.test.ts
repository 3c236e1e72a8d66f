import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chunk } from '../turns/ui-stream.rules.ts';
import { PartLog } from './part-log.ts';

const START: Chunk = { type: 'start', messageId: 'answer', messageMetadata: {} };
const END: Chunk = { type: 'text-end', id: 'answer' };
const text = (delta: string): Chunk => ({ type: 'text-delta', id: 'answer', delta });
const never = () => new AbortController().signal;

test('a reader that keeps up gets each part as it was sent', async () => {
  const log = new PartLog();
  const reader = log.read(never());
  for (const part of [START, text('It takes '), text('five '), text('days.'), END]) {
    const next = reader.next();
    log.push(part);
    assert.deepEqual((await next).value, part);
  }
  log.end();
  assert.equal((await reader.next()).done, true);
});

test('a slow reader gets consecutive texts as one part', async () => {
  const log = new PartLog();
  const reader = log.read(never());
  log.push(START);
  log.push(text('It takes '));
  log.push(text('five '));
  assert.deepEqual((await reader.next()).value, START);
  log.push(text('days.'));
  log.push(END);
  log.end();
  const rest = await Array.fromAsync(reader);
  assert.deepEqual(rest, [text('It takes five '), text('days.'), END]);
});

test('parts are kept after the reader has gone', async () => {
  const log = new PartLog();
  const gone = new AbortController();
  const read = Array.fromAsync(log.read(gone.signal));
  log.push(START);
  log.push(text('It takes '));
  gone.abort();
  assert.deepEqual(await read, []);
  log.push(text('five days.'));
  log.push(END);
  assert.deepEqual(log.parts, [START, text('It takes five days.'), END]);
});
