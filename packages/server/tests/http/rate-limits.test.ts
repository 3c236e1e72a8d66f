import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientResponse, clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

const EXCHANGES = 5;
const env = { GATEHOUSE_RATE_LIMIT_EXCHANGE: String(EXCHANGES) };
const open = await serviceOfThisFile({ env });
const behindProxy = await serviceOfThisFile({
  env: { ...env, GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' },
});

const statuses = (answers: readonly ClientResponse[]) => answers.map(({ status }) => status).sort();
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Exchanges an unknown token with the given address in `X-Forwarded-For`. */
function exchange(url: string, address: string): Promise<ClientResponse> {
  const headers = { 'x-forwarded-for': address };
  const body = { linkToken: 'nobody-has-this' };
  return contractClient(clientOf(url))('/assistant-link/exchange', { body, headers });
}

function exchanges(url: string, addresses: readonly string[]): Promise<ClientResponse[]> {
  return Promise.all(addresses.map((address) => exchange(url, address)));
}

function assertTooMany(answer: ClientResponse): void {
  assert.equal(answer.status, 429);
  assert.equal(answer.json['code'], 'http.too-many-requests');
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds} s`);
  assert.match(String(answer.json['message']), new RegExp(`in ${seconds} seconds`));
}

test('after 20 sign-in attempts per minute and address, even the correct password is rejected', async () => {
  const tries = Array.from({ length: 20 }, (_, index) => {
    // One account would be blocked after ten failures.
    const body = { email: `unknown-${index % 4}@example.com`, password: 'not the password' };
    return open.client('/auth/sign-in/email', { body });
  });
  assert.deepEqual(statuses(await Promise.all(tries)), repeat(20, 401));
  const { email, password } = ADMIN;
  const body = { email, password };
  assertTooMany(await open.client('/auth/sign-in/email', { body }));
  const headers = { origin: open.service.url };
  assertTooMany(await open.client('/console/session', { body, headers }));
});

test('rejects exchanges above the configured number per minute and address', async () => {
  const before = await exchanges(open.service.url, repeat(EXCHANGES, '203.0.113.1'));
  assert.deepEqual(statuses(before), repeat(EXCHANGES, 401));
  assertTooMany(await exchange(open.service.url, '203.0.113.1'));
});

test('ignores X-Forwarded-For if no trusted proxy is configured', async () => {
  assertTooMany(await exchange(open.service.url, '203.0.113.2'));
});

test('the limit of an operation does not affect other operations', async () => {
  assert.deepEqual(
    statuses(await Promise.all(repeat(30, '/healthz').map((path) => open.client(path)))),
    repeat(30, 200),
  );
});

test('behind a trusted proxy each client has a separate limit', async () => {
  const { url } = behindProxy.service;
  const first = await exchanges(url, repeat(EXCHANGES + 1, '203.0.113.1'));
  assert.deepEqual(statuses(first), [...repeat(EXCHANGES, 401), 429]);
  assert.equal((await exchange(url, '203.0.113.2')).status, 401);
});

test('behind a trusted proxy the limit uses only the address that the proxy added', async () => {
  const { url } = behindProxy.service;
  const made = Array.from({ length: EXCHANGES + 1 }, (_, n) => `198.51.100.${n}, 203.0.113.9`);
  const answers = await exchanges(url, made);
  assert.deepEqual(statuses(answers), [...repeat(EXCHANGES, 401), 429]);
});
