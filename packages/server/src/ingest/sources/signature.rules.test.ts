import assert from 'node:assert/strict';
import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newSecretText, toKey } from './secret.rules.ts';
import {
  isSigned,
  MAX_SIGNATURES,
  readSignatures,
  type SignedParts,
  sign,
  timestampProblem,
} from './signature.rules.ts';
import { readWebhookHeaders } from './webhook-headers.rules.ts';

/** The test vector of the Standard Webhooks libraries. */
const PUBLISHED = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const signaturesOf = (text: string) => readSignatures(text) ?? [];

test('verifies and reproduces the published test vector of Standard Webhooks', () => {
  const { secret, id, timestamp, body, signature } = PUBLISHED;
  const read = readWebhookHeaders(
    { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
    Number(timestamp) * 1000,
  );
  assert.ok(read.given && read.headers !== null);
  const parts = [`${read.headers.id}.${read.headers.timestamp}.`, Buffer.from(body)];
  assert.ok(isSigned(parts, read.headers.signatures, [toKey(secret)]));
  assert.equal(sign(parts, toKey(secret)), signature);
  assert.ok(!isSigned([...parts, ' '], read.headers.signatures, [toKey(secret)]));
  assert.ok(!isSigned(parts, read.headers.signatures, [toKey(newSecretText())]));
});

test('signing and verification are compatible with the standardwebhooks package', () => {
  for (let size = 24; size <= 64; size += 5) {
    const secret = `whsec_${randomBytes(size).toString('base64')}`;
    const body = JSON.stringify({ data: 'ä€😀'.repeat(size) });
    const now = new Date();
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const parts = [`msg_1.${timestamp}.`, Buffer.from(body)];
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': sign(parts, toKey(secret)),
    };
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    const theirs = new Webhook(secret).sign('msg_1', now, body);
    assert.ok(isSigned(parts, signaturesOf(theirs), [toKey(secret)]));
  }
});

test('one valid signature among several suffices, and either of two keys may have made it', () => {
  const [one, two, three] = [newSecretText(), newSecretText(), newSecretText()].map(toKey);
  assert.ok(one && two && three);
  const text = `v1a,AAAA v2,x ${sign(['text'], two)} ${sign(['text'], three)}`;
  assert.ok(isSigned(['text'], signaturesOf(text), [one, two]));
  assert.ok(isSigned(['text'], signaturesOf(text), [two]));
  assert.ok(!isSigned(['text'], signaturesOf(text), [one]));
  assert.ok(!isSigned(['text'], signaturesOf(text), []));
});

test('computes the same number of hashes for every signature and set of keys', () => {
  const keys = [newSecretText(), newSecretText()].map(toKey);
  const [first, second] = keys as [KeyObject, KeyObject];
  const parts: SignedParts = ['text'];
  const cases: [string, readonly KeyObject[]][] = [
    [sign(parts, first), keys],
    [sign(parts, second), keys],
    [sign(['other'], first), keys],
    [sign(parts, first), [first]],
    [sign(parts, first), [second]],
    [sign(parts, first), []],
  ];
  for (const [text, given] of cases) {
    let made = 0;
    isSigned(parts, signaturesOf(text), given, (key, [part = '']) => {
      made++;
      return createHmac('sha256', key).update(part).digest();
    });
    assert.equal(made, 2);
  }
});

test('rejects malformed signatures', () => {
  const good = sign(['text'], toKey(newSecretText()));
  assert.equal(readSignatures(good)?.length, 1);
  for (const text of [
    '',
    'v1,',
    'v1',
    good.slice(3),
    good.slice(0, -1),
    `${good}=`,
    `${good},${good}`,
    good.replace('v1', 'V1'),
    good.replace('v1', 'v1a'),
    good.replaceAll(' ', '\t').replace('v1,', 'v1, '),
    Array(MAX_SIGNATURES + 1)
      .fill(good)
      .join(' '),
  ])
    assert.equal(readSignatures(text), null, text.slice(0, 80));
  assert.equal(readSignatures(Array(MAX_SIGNATURES).fill(good).join(' '))?.length, MAX_SIGNATURES);
});

test('accepts timestamps in Unix seconds that differ from the current time by at most five minutes', () => {
  const now = 1_792_318_200_999;
  for (const off of [-300, -1, 0, 1, 300])
    assert.equal(timestampProblem(String(1_792_318_200 + off), now), null, String(off));
  assert.match(timestampProblem('1792317899', now) ?? '', /^is 301 seconds behind/);
  assert.match(timestampProblem('1792318501', now) ?? '', /^is 301 seconds ahead/);
  for (const text of [
    '',
    '1792318200.5',
    '1792318200999',
    ' 1792318200',
    '+1792318200',
    '-1',
    '01792318200',
    '0x6ad',
    '1e9',
    '2026-10-18T09:30:00Z',
  ])
    assert.match(timestampProblem(text, now) ?? '', /^must be Unix seconds|behind|ahead/, text);
});

test('rejects an ID with a dot, which separates the signed parts', () => {
  const now = Date.now();
  const headers = (id: string) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': sign(['text'], toKey(newSecretText())),
  });
  for (const id of ['msg_1.1792318200', '.', '', ' ', 'a b', 'a, b', 'ä', 'x'.repeat(257)]) {
    const read = readWebhookHeaders(headers(id), now);
    assert.ok(read.given && read.headers === null, id);
    assert.match(read.problems.join(), /^webhook-id: must be 1 to 256/);
  }
  assert.ok(readWebhookHeaders(headers('msg_~!-/1'), now).given);
});

test('requires all three webhook headers if any of them is present', () => {
  const read = readWebhookHeaders({ 'webhook-id': 'msg_1' }, 0);
  assert.ok(read.given && read.headers === null);
  assert.deepEqual(
    read.problems.map((problem) => problem.split(':')[0]),
    ['webhook-timestamp', 'webhook-signature'],
  );
  assert.deepEqual(readWebhookHeaders({ 'content-type': 'x' }, 0), { given: false });
});
