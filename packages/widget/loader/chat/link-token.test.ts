import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GetToken, LinkToken, type TokenHolder } from './link-token.ts';

/** Creates a link token for an element with these properties. */
function element(token: string | null, getToken?: GetToken) {
  const attributes: Record<string, string | null> = { token };
  const holder: Pick<TokenHolder, 'getAttribute' | 'getToken'> = {
    getAttribute: (name) => attributes[name] ?? null,
    ...(getToken === undefined ? {} : { getToken }),
  };
  return { attributes, link: new LinkToken(holder) };
}

test('uses the token attribute until getToken returns a newer token', async () => {
  const { link } = element('first', () => 'second');
  assert.equal(link.hasChanged(), true);
  assert.equal(link.hasChanged(), false);
  assert.equal(link.current, 'first');
  assert.equal(await link.renew(), 'second');
  assert.equal(link.current, 'second');
});

test('a changed attribute replaces all tokens from getToken, including a pending token', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { attributes, link } = element('ada', () => promise);
  link.hasChanged();
  const renewed = link.renew();
  attributes['token'] = 'grace';
  assert.equal(link.hasChanged(), true);
  resolve('ada-2');
  await renewed;
  assert.equal(link.current, 'grace');
});

test('concurrent renewals share one call of getToken', async () => {
  let calls = 0;
  const { link } = element(null, async () => `token-${++calls}`);
  assert.deepEqual(await Promise.all([link.renew(), link.renew()]), ['token-1', 'token-1']);
  assert.equal(await link.renew(), 'token-2');
});

test('rejects a result of getToken that is not a token, and keeps the current token', async () => {
  for (const result of ['', null, 7, {}]) {
    const { link } = element('first', () => result as string);
    link.hasChanged();
    await assert.rejects(link.renew(), TypeError);
    assert.equal(link.current, 'first');
  }
});

test('a link token can be renewed only if the page has getToken', () => {
  assert.equal(element('first').link.canRenew, false);
  assert.equal(element('first', () => 'second').link.canRenew, true);
});
