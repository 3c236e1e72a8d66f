import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@gatehouse/contract';
import { makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { bareClient: client, service } = await serviceOfThisFile();
const SHOP = 'https://shop.example';
const session = await signIn(client);
const space = await makeSpace(client, session, { allowedOrigins: [SHOP] });
const key = await makeKey(client, session, space.id);
const link = await makeLink(client, key, {});

const spare = await makeSpace(client, session);

/** A URL for each operation. The tests check only headers, so the response status is irrelevant. */
const ADDRESSES = operations.map(({ id, method, path }) => ({
  id,
  method,
  path: path
    .replace('{botId}', String(spare.botId))
    .replace('{token}', link.token)
    .replace(/\{\w+\}/g, spare.id),
}));

test('every response disables content sniffing, has a request ID and does not name the server software', async () => {
  for (const { id, method, path } of ADDRESSES) {
    const { headers } = await client(path, { method });
    assert.equal(headers.get('x-content-type-options'), 'nosniff', id);
    assert.match(headers.get('x-request-id') ?? '', /^[\w-]+$/, id);
    assert.equal(headers.get('server'), null, id);
    assert.equal(headers.get('x-powered-by'), null, id);
    assert.equal(headers.get('set-cookie'), null, id);
  }
});

test('only public responses are cacheable', async () => {
  const kept: string[] = [];
  const as = await signIn(client);
  for (const { id, method, path } of ADDRESSES) {
    const { headers } = await client(path, { method, as });
    if (headers.get('cache-control') !== 'no-store') kept.push(id);
  }
  assert.deepEqual(kept.sort(), [
    'documentation',
    'openApi',
    'reference',
    'showKeySet',
    'widgetLoader',
    'widgetOpening',
  ]);
});

/** Public scripts that pages of any origin may read. */
const FOR_ANYONE = ['widgetLoader', 'widgetOpening'];

/** Operations that pages of the allowed origins of a space may use. */
const ACROSS_ORIGINS = operations
  .filter(
    ({ id, feature, credentials }) =>
      ['exchangeLink', 'listPassages'].includes(id) ||
      (feature === 'chat' && credentials.includes('widgetSession')),
  )
  .map(({ id }) => id);

test('pages of other origins can read responses only of the widget scripts, the exchange, the chat and passages', async () => {
  for (const { id, method, path } of ADDRESSES) {
    const headers = { origin: SHOP };
    const answer = await client(path, { method, headers });
    const allowed = FOR_ANYONE.includes(id) ? '*' : null;
    assert.equal(answer.headers.get('access-control-allow-origin'), allowed, id);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null, id);
    if (ACROSS_ORIGINS.includes(id)) continue;
    const preflight = { origin: SHOP, 'access-control-request-method': method };
    const { headers: preflighted } = await client(path, { method: 'OPTIONS', headers: preflight });
    assert.equal(preflighted.get('access-control-allow-origin'), null, `the preflight of ${id}`);
  }
});

test('pages with an opaque origin can read responses of the exchange and, with a widget session, of the chat and passages', async () => {
  const { json } = await client('/assistant-link/exchange', { body: { linkToken: link.token } });
  const readable = async (as: string | undefined, preflight = false) => {
    const ids: string[] = [];
    for (const { id, method, path } of ADDRESSES) {
      if (FOR_ANYONE.includes(id)) continue;
      const send = { method: preflight ? 'OPTIONS' : method, as, headers: { origin: 'null' } };
      const { headers } = await client(path, send);
      assert.equal(headers.get('access-control-allow-credentials'), null, id);
      if (headers.get('access-control-allow-origin') === 'null') ids.push(id);
    }
    return ids.sort();
  };
  const chat = ACROSS_ORIGINS.toSorted();
  assert.deepEqual(await readable(String(json['accessToken'])), chat);
  assert.deepEqual(await readable(await signIn(client)), ['exchangeLink']);
  assert.deepEqual(await readable(undefined), ['exchangeLink']);
  const paths = new Set(operations.filter(({ id }) => chat.includes(id)).map(({ path }) => path));
  const sharing = operations.filter(({ path }) => paths.has(path)).map(({ id }) => id);
  assert.deepEqual(await readable(undefined, true), sharing.sort());
});

test('only pages with an allowed or opaque origin can read exchange responses, and cookies are not allowed', async () => {
  const path = '/assistant-link/exchange';
  const ask = (origin: string) =>
    client(path, { body: { linkToken: link.token }, headers: { origin } });
  const preflight = (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    return client(path, { method: 'OPTIONS', headers });
  };
  for (const send of [ask, preflight]) {
    const { headers } = await send(SHOP);
    assert.equal(headers.get('access-control-allow-origin'), SHOP);
    assert.equal(headers.get('access-control-allow-credentials'), null);
    assert.match(headers.get('vary') ?? '', /Origin/i);
    assert.equal((await send('null')).headers.get('access-control-allow-origin'), 'null');
    for (const other of ['https://evil.example', 'https://shop.example.evil.example', 'NULL'])
      assert.equal((await send(other)).headers.get('access-control-allow-origin'), null, other);
  }
});

test('the widget page runs only its own script, can be embedded only by allowed origins of the space and sends no referrer', async () => {
  const first = await client(`/widget/${link.token}`);
  const { headers } = first;
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.equal(headers.get('cache-control'), 'no-store');
  const policy = policyOf(headers);
  assert.equal(policy.get('default-src'), "'none'");
  assert.equal(policy.get('connect-src'), "'self'");
  assert.equal(policy.get('img-src'), "'self' data:");
  assert.deepEqual(policy.get('frame-ancestors')?.split(' ').sort(), ["'self'", SHOP]);
  const nonce = /^'nonce-([^']{22,})'$/.exec(policy.get('script-src') ?? '')?.[1] ?? '';
  assert.ok(first.text.includes(`nonce="${nonce}"`));
  assert.ok(!first.text.includes(link.token), 'the page contains the token');
  const second = await client(`/widget/${link.token}`);
  assert.notEqual(policyOf(second.headers).get('script-src'), policy.get('script-src'));
});

test('the reference page runs only scripts of the service and cannot be embedded', async () => {
  const policy = policyOf((await client('/docs/api')).headers);
  assert.equal(policy.get('default-src'), "'none'");
  assert.equal(policy.get('frame-ancestors'), "'none'");
  assert.equal(policy.get('connect-src'), "'self'");
  assert.match(policy.get('script-src') ?? '', /^'self' 'sha256-[\w+/]{43}='$/);
});

test('a response that contains a new link is not cacheable', async () => {
  const made = await client('/assistant-link', { as: key, body: {} });
  assert.equal(made.headers.get('cache-control'), 'no-store');
  assert.match(made.headers.get('location') ?? '', /^\/assistant-link\/[0-9a-f-]{36}$/);
  assert.ok(String(made.json['url']).startsWith(`${service.url}/widget/`));
});

function policyOf(headers: Headers): Map<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split(';');
  return new Map(
    directives.map((directive): [string, string] => {
      const [name = '', ...values] = directive.trim().split(' ');
      return [name, values.join(' ')];
    }),
  );
}
