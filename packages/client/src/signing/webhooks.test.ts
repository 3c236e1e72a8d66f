import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { webhooks } from './webhooks.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const EVENT = { specversion: '1.0', id: '1', source: 'https://é.example', type: 'x' };
const BODY = JSON.stringify(EVENT);

/** Signs a request with the reference implementation of Standard Webhooks. */
function signed(secret = SECRET, offset = 0, body = BODY): Record<string, string> {
  const at = new Date(Date.now() + offset * 1000);
  const signature = new Webhook(secret).sign('msg_1', at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

const problem = (name: string) => ({ name: 'WebhookError', problem: name });

describe('a delivery that the reference implementation signs', () => {
  test('is accepted as text, bytes or a buffer', async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, Buffer.from(BODY), bytes.slice().buffer])
      assert.deepEqual(await webhooks.unwrap(body, signed(), SECRET), EVENT);
  });

  test('is accepted with Headers, with headers in any case, and with repeated headers', async () => {
    const headers = signed();
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const repeated = { ...headers, 'webhook-signature': [headers['webhook-signature'] ?? ''] };
    for (const given of [new Headers(headers), Object.fromEntries(upper), repeated])
      assert.deepEqual(await webhooks.unwrap(BODY, given, SECRET), EVENT);
  });

  test('is accepted during a rotation, with several secrets or several signatures', async () => {
    assert.deepEqual(await webhooks.unwrap(BODY, signed(OTHER), [SECRET, OTHER]), EVENT);
    const both = `v1a,ignored ${signed(OTHER)['webhook-signature']} ${signed()['webhook-signature']}`;
    const headers = { ...signed(), 'webhook-signature': both };
    assert.deepEqual(await webhooks.unwrap(BODY, headers, SECRET), EVENT);
  });

  test('is rejected with another secret', async () => {
    await assert.rejects(
      webhooks.unwrap(BODY, signed(OTHER), SECRET),
      problem('signature-invalid'),
    );
    await assert.rejects(webhooks.unwrap(BODY, signed(), []), problem('signature-invalid'));
  });

  test('is rejected if the body, the ID or the time was changed', async () => {
    const headers = signed();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    for (const [body, changed] of [
      [`${BODY} `, {}],
      [BODY, { 'webhook-id': 'msg_2' }],
      [BODY, { 'webhook-timestamp': later }],
      [BODY, { 'webhook-signature': 'v1,' }],
      [BODY, { 'webhook-signature': 'v1,not base64!' }],
      [BODY, { 'webhook-signature': headers['webhook-signature']?.slice(3) }],
    ] as const)
      await assert.rejects(
        webhooks.unwrap(body, { ...headers, ...changed }, SECRET),
        problem('signature-invalid'),
      );
  });

  test('is accepted up to the tolerance and rejected beyond it', async () => {
    for (const offset of [-299, 299])
      assert.deepEqual(await webhooks.unwrap(BODY, signed(SECRET, offset), SECRET), EVENT);
    await assert.rejects(
      webhooks.unwrap(BODY, signed(SECRET, -302), SECRET),
      problem('timestamp-too-old'),
    );
    await assert.rejects(
      webhooks.unwrap(BODY, signed(SECRET, 302), SECRET),
      problem('timestamp-too-new'),
    );
    const options = { toleranceSeconds: 600 };
    assert.deepEqual(await webhooks.unwrap(BODY, signed(SECRET, -550), SECRET, options), EVENT);
  });

  test('is rejected if it is not JSON', async () => {
    const headers = signed(SECRET, 0, 'text');
    await assert.rejects(webhooks.unwrap('text', headers, SECRET), problem('body-invalid'));
  });
});

for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  test(`a request without ${name} is rejected`, async () => {
    const headers = { ...signed(), [name]: undefined };
    await assert.rejects(webhooks.unwrap(BODY, headers, SECRET), problem('headers-missing'));
  });

test('a timestamp that is not a number is rejected', async () => {
  for (const timestamp of ['now', '1e9', '-1', ' 1'])
    await assert.rejects(
      webhooks.unwrap(BODY, { ...signed(), 'webhook-timestamp': timestamp }, SECRET),
      problem('timestamp-invalid'),
    );
});

test('a tolerance that is not a number is a mistake of the caller', async () => {
  for (const toleranceSeconds of [Number.NaN, -1])
    await assert.rejects(
      webhooks.unwrap(BODY, signed(SECRET, -9000), SECRET, { toleranceSeconds }),
      {
        name: 'TypeError',
        message: /toleranceSeconds must be/,
      },
    );
});

test('a parsed body is a mistake of the caller', async () => {
  const body: unknown = EVENT;
  await assert.rejects(webhooks.unwrap(body as string, signed(), SECRET), {
    name: 'TypeError',
    message: /not a parsed object/,
  });
});

test('a missing secret is a mistake of the caller', async () => {
  for (const secret of ['', undefined, [undefined]])
    await assert.rejects(webhooks.unwrap(BODY, signed(), secret as string), {
      name: 'TypeError',
      message: 'a signing secret is whsec_ followed by base64',
    });
});

test('the error of an invalid secret does not contain the secret', async () => {
  await assert.rejects(webhooks.unwrap(BODY, signed(), 'whsec_not base64!'), (error: Error) => {
    assert.doesNotMatch(error.message, /not base64!/);
    return error instanceof TypeError;
  });
});
