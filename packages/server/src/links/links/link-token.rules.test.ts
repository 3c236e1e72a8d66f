import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { hashOf, possibleHashesOf, TokenSource } from './link-token.rules.ts';

const bytesOf = (token: string) => Buffer.from(token, 'base64url');
const clusterOf = (token: string) => bytesOf(token).toString('hex', 29);
const ownBitsOf = (token: string) => bytesOf(token).toString('hex', 0, 29);

test('tokens have 43 characters and share only their last three bytes', () => {
  const source = new TokenSource();
  const tokens = Array.from({ length: 2000 }, () => source.newToken('space'));
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/);
  assert.equal(new Set(tokens.map(ownBitsOf)).size, tokens.length);
  // Each byte has many values, so no other part of the tokens is constant.
  for (let at = 0; at < 29; at += 1)
    assert.ok(new Set(tokens.map((token) => bytesOf(token)[at])).size > 200, `byte ${at}`);
});

test('128 consecutive tokens of a space have the same cluster, and the next ones another', () => {
  const source = new TokenSource();
  const clusters = Array.from({ length: 3 * 128 }, () => clusterOf(source.newToken('space')));
  assert.equal(new Set(clusters).size, 3);
  for (const first of [0, 128, 256])
    assert.equal(new Set(clusters.slice(first, first + 128)).size, 1);
});

test('tokens of one space do not reveal how many tokens other spaces have', () => {
  const source = new TokenSource();
  const clusters = new Set<string>();
  for (let turn = 0; turn < 100; turn += 1) {
    clusters.add(clusterOf(source.newToken('space')));
    for (let other = 0; other < 20; other += 1) source.newToken(`other ${other % 4}`);
  }
  assert.equal(clusters.size, 1);
  assert.notEqual(clusterOf(new TokenSource().newToken('space')), [...clusters][0]);
});

test('the stored hash consists of the cluster and the SHA-256 of the whole token', () => {
  const token = new TokenSource().newToken('space');
  assert.equal(hashOf(token), clusterOf(token) + hash('sha256', token));
  assert.equal(possibleHashesOf(token).random, hashOf(token));
  assert.equal(possibleHashesOf(token).unclustered, hash('sha256', token));
});

test('any text has hashes', () => {
  for (const text of ['', '\u0000', '\ud800', 'ü'.repeat(100), 'a'.repeat(100_000)])
    assert.match(possibleHashesOf(text).random, /^([\da-f]{6})?[\da-f]{64}$/);
});
