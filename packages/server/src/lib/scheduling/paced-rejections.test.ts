import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PacedRejections } from './paced-rejections.ts';

function open() {
  const state = { now: 0 };
  return { state, rejections: new PacedRejections(() => state.now) };
}

test('the first rejection of a caller is not delayed, and further ones follow at intervals', () => {
  const { rejections } = open();
  const delays = Array.from({ length: 4 }, () => rejections.reserve('link a'));
  assert.deepEqual(delays, [0, 25, 50, 75]);
  assert.equal(rejections.reserve('link b'), 0);
});

test('a caller that pauses is not delayed again', () => {
  const { state, rejections } = open();
  rejections.reserve('link a');
  state.now = 25;
  assert.equal(rejections.reserve('link a'), 0);
});

test('no rejection is delayed by more than 1.5 seconds', () => {
  const { rejections } = open();
  const delays = Array.from({ length: 200 }, () => rejections.reserve('link a'));
  assert.equal(Math.max(...delays), 1500);
  assert.equal(delays.at(-1), 1500);
});

test('waiting lets a first rejection pass at once', async () => {
  const { rejections } = open();
  await rejections.wait('link a');
});
