import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import { createSigner } from './signer.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

test('the signer signs many texts concurrently', async () => {
  await using signer = createSigner();
  const texts = Array.from({ length: 200 }, (_, index) => `text ${index} – ü`);
  const signatures = await Promise.all(texts.map((text) => signer.sign(text, privateKey)));
  for (const [index, text] of texts.entries()) {
    const signature = Buffer.from(signatures[index] ?? '', 'base64url');
    assert.ok(verify(null, Buffer.from(text), publicKey, signature), text);
  }
});

test('the signer signs texts that arrive while it is busy', async () => {
  await using signer = createSigner();
  const first = signer.sign('first', privateKey);
  await new Promise((resolve) => setImmediate(resolve));
  const second = signer.sign('second', privateKey);
  assert.notEqual(await first, await second);
  assert.equal(await signer.sign('first', privateKey), await first);
});

test('the signer signs each text with the requested key if keys alternate', async () => {
  await using signer = createSigner();
  const other = generateKeyPairSync('ed25519');
  const pairs = Array.from({ length: 60 }, (_, index) =>
    index % 7 < 3 ? { privateKey, publicKey } : other,
  );
  const signatures = await Promise.all(
    pairs.map((pair, index) => signer.sign(`text ${index}`, pair.privateKey)),
  );
  for (const [index, pair] of pairs.entries()) {
    const signature = Buffer.from(signatures[index] ?? '', 'base64url');
    assert.ok(verify(null, Buffer.from(`text ${index}`), pair.publicKey, signature), `${index}`);
  }
});
