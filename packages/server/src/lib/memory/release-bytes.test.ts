import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseBytes } from './release-bytes.ts';

test('the memory of a whole buffer is released', () => {
  const bytes = Buffer.allocUnsafeSlow(1000);
  releaseBytes(bytes);
  assert.equal(bytes.length, 0);
  releaseBytes(bytes);
});

test('memory that other views may use is not released', () => {
  const bytes = Buffer.allocUnsafeSlow(1000).fill(1);
  releaseBytes(bytes.subarray(0, 999));
  assert.equal(bytes.length, 1000);
  const pooled = Buffer.from('pooled');
  releaseBytes(pooled);
  assert.equal(pooled.toString(), 'pooled');
});
