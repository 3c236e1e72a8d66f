import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromStored, toStored } from './stored-texts.ts';

test('any bytes come back as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      assert.deepEqual(Buffer.from(fromStored(toStored(bytes))), Buffer.from(bytes));
    }),
  );
});

test('texts that resemble each other take less, and what cannot shrink is kept as it is', () => {
  const alike = Buffer.from('{"type":"example.order.paid","data":{"order":1001}}'.repeat(100));
  const packed = toStored(alike);
  assert.equal(packed.encoding, 'zstd');
  assert.ok(packed.bytes.byteLength < alike.byteLength / 3);
  assert.equal(toStored(randomBytes(4096)).encoding, 'none');
  assert.equal(toStored(Buffer.from('{"id":"1"}')).encoding, 'none');
});
