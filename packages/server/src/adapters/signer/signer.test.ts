import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import { createSigner } from './index.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

test('signs many texts at once, each with its own signature', async () => {
  await using signer = createSigner(privateKey);
  const texts = Array.from({ length: 200 }, (_, index) => `text ${index} – ü`);
  const signatures = await Promise.all(texts.map((text) => signer.sign(text)));
  for (const [index, text] of texts.entries()) {
    const signature = Buffer.from(signatures[index] ?? '', 'base64url');
    assert.ok(verify(null, Buffer.from(text), publicKey, signature), text);
  }
});

test('goes on with what arrives while it signs', async () => {
  await using signer = createSigner(privateKey);
  const first = signer.sign('first');
  await new Promise((resolve) => setImmediate(resolve));
  const second = signer.sign('second');
  assert.notEqual(await first, await second);
  assert.equal(await signer.sign('first'), await first);
});
