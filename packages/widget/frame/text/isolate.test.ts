import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolate } from './isolate.ts';

test('removes characters that change the direction of other text, and keeps marks of languages', () => {
  assert.equal(isolate('\u202eSupport\u202c \u2066a\u2069\u2069'), 'Support a');
  const kept = 'مرحبا\u200f – שלום\u200e – \u061c';
  assert.equal(isolate(kept), kept);
});
