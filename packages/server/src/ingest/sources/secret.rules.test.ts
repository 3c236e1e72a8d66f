import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSecretText, secretProblem, toKey } from './secret.rules.ts';

const given = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

test('a secret is whsec_ followed by 24 to 64 bytes in base64', () => {
  for (const size of [24, 25, 32, 64]) {
    assert.equal(secretProblem(given(size)), null);
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
    const problem = secretProblem(text) ?? '';
    assert.match(problem, /^must be whsec_/, text);
    assert.ok(!problem.includes(text.slice(6, 16)) || text === 'whsec_');
  }
});

test('generated secrets are unique and valid', () => {
  const made = new Set(Array.from({ length: 100 }, newSecretText));
  assert.equal(made.size, 100);
  for (const text of made) assert.equal(secretProblem(text), null);
});
