import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from './sealing.rules.ts';
import { newSecretText, secretFault, toKey } from './secret.rules.ts';

const given = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

test('a secret has 24 to 64 bytes in base64 behind whsec_', () => {
  for (const size of [24, 25, 32, 64]) {
    assert.equal(secretFault(given(size)), null);
    assert.equal(toKey(given(size)).symmetricKeySize, size);
  }
  for (const text of [
    given(23),
    given(65),
    given(32).slice(6),
    given(32).replace('whsec_', 'WHSEC_'),
    given(32).replace('=', ''),
    `${given(32)} `,
    given(33).replaceAll('B', '-'),
    'whsec_',
  ]) {
    const fault = secretFault(text) ?? '';
    assert.match(fault, /^must be whsec_/, text);
    assert.ok(!fault.includes(text.slice(6, 16)) || text === 'whsec_');
  }
});

test('secrets that are made differ, and are ones that could be given', () => {
  const made = new Set(Array.from({ length: 100 }, newSecretText));
  assert.equal(made.size, 100);
  for (const text of made) assert.equal(secretFault(text), null);
});

test('what is sealed opens in its own place, with the same secret, and nowhere else', () => {
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
