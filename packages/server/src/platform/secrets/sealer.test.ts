import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from './sealer.ts';

test('a sealed string can be opened only with the same secret, purpose and context', () => {
  const secret = randomBytes(32);
  const sealer = createSealer(secret, 'tests');
  const sealed = sealer.seal('whsec_text', 'space/source');
  assert.equal(createSealer(secret, 'tests').open(sealed, 'space/source'), 'whsec_text');
  assert.notEqual(sealer.seal('whsec_text', 'space/source'), sealed);
  assert.equal(sealer.open(sealed, 'space/other'), null);
  assert.equal(createSealer(randomBytes(32), 'tests').open(sealed, 'space/source'), null);
  assert.equal(createSealer(secret, 'others').open(sealed, 'space/source'), null);
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === 'A' ? 'E' : 'A';
    const altered = sealed.slice(0, at) + other + sealed.slice(at + 1);
    assert.equal(sealer.open(altered, 'space/source'), null, `altered at ${at}`);
  }
  for (const cut of ['', 's1.', sealed.slice(0, 20), sealed.slice(0, -6)])
    assert.equal(sealer.open(cut, 'space/source'), null);
});
