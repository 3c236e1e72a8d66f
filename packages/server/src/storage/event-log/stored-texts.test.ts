import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromStored, toStored } from './stored-texts.ts';

test('loading any stored bytes returns the original bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      assert.deepEqual(Buffer.from(fromStored(toStored(bytes))), Buffer.from(bytes));
    }),
  );
});

test('compresses similar texts and stores incompressible bytes unchanged', () => {
  const similar = Buffer.from('{"type":"example.order.paid","data":{"order":1001}}'.repeat(100));
  const packed = toStored(similar);
  assert.equal(packed.encoding, 'zstd');
  assert.ok(packed.bytes.byteLength < similar.byteLength / 3);
  assert.equal(toStored(randomBytes(4096)).encoding, 'none');
  assert.equal(toStored(Buffer.from('{"id":"1"}')).encoding, 'none');
});
