import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { createUriCheck } from './uri.rules.ts';

const good = [
  'https://shop.example/orders',
  'https://shop.example:8443/orders?region=eu&x=/?#part-2',
  'https://user:pa%20ss@shop.example/',
  'HTTP://SHOP.EXAMPLE',
  'http://shop.example:',
  'http://[2001:db8::1]:8080/x',
  'http://[::ffff:192.0.2.1]',
  'http://[v1.fe80::a+en1]/',
  'http://192.0.2.1/',
  'http://a@[::1]/',
  'urn:shop:orders',
  'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  'mailto:orders@shop.example',
  'tag:shop.example,2026:orders',
  'file:///var/orders',
  'a+b-c.d:x',
  'x:',
  'x:/',
  'x://',
  "x:-._~!$&'()*+,;=:@/?",
  'x:%C3%A9%ff',
  'arn:aws:sqs:eu-west-1:123456789012:orders',
];

for (const uri of good) {
  test(`accepts the URI ${uri}`, () => assert.equal(createUriCheck()(uri), null));
}

const bad: readonly (readonly [string, RegExp])[] = [
  ['', /must not be empty/],
  ['/orders', /with a scheme/],
  ['orders', /with a scheme/],
  ['//shop.example/orders', /with a scheme/],
  ['shop.example/orders', /with a scheme/],
  ['1http://x', /with a scheme/],
  [':x', /with a scheme/],
  ['ht tp://x', /with a scheme/],
  ['é:x', /with a scheme/],
  ['http://x/a b', /space; write %20 \(at position 10\)/],
  ['http://shop example/', /space; write %20 \(at position 11\)/],
  ['http://a b@[::1]/', /space; write %20 \(at position 8\)/],
  ['http://x/é', /ASCII; percent-encode the character as %C3%A9/],
  ['http://bücher.example/', /ASCII; percent-encode the character as %C3%BC/],
  ['http://x/😀', /ASCII; percent-encode the character as %F0%9F%98%80/],
  ['http://x/\ud83d', /control character/],
  ['http://x/\u0000', /control character/],
  ['http://x/\n', /control character/],
  ['http://x/\u007f', /control character/],
  ['http://x/a[1]', /only around an IPv6 host; write %5B/],
  ['http://x/?a=]', /only around an IPv6 host; write %5D/],
  ['http://a[::1]/', /only around an IPv6 host/],
  ['http://[::1]a/', /only around an IPv6 host/],
  ['http://[::1', /only around an IPv6 host/],
  ['http://[1.2.3.4]/', /IPv6 address between/],
  ['http://[::1%25eth0]/', /IPv6 address between/],
  ['http://[::g]/', /IPv6 address between/],
  ['http://[]/', /IPv6 address between/],
  ['http://[v.x]/', /IPv6 address between/],
  ['http://x:port/', /number as its port/],
  ['http://a:b:1/', /number as its port/],
  ['http://a@b@c/', /at most one "@"/],
  ['http://x/#a#b', /must not contain "#"; percent-encode it as %23/],
  ['http://x/<', /must not contain "<"; percent-encode it as %3C/],
  ['http://x/"', /percent-encode it as %22/],
  ['http://x/\\', /percent-encode it as %5C/],
  ['http://x/`{|}^', /percent-encode it as %60/],
  ['http://x/%', /two hexadecimal digits/],
  ['http://x/%4', /two hexadecimal digits/],
  ['http://x/%zz', /two hexadecimal digits/],
  ['http://x/%4#1', /two hexadecimal digits/],
  ['http://x%/', /two hexadecimal digits/],
];

for (const [uri, problem] of bad) {
  test(`rejects the URI ${JSON.stringify(uri)}`, () => {
    assert.match(createUriCheck()(uri) ?? 'nothing is wrong', problem);
  });
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const IN_SEGMENTS = `${LETTERS_AND_DIGITS}-._~!$&'()*+,;=:@`;
const percentEncoded = anyCharacter.map((character) => {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16)}` : encoded;
});
const textOf = (characters: string) =>
  fc.string({
    unit: fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...characters) },
      { weight: 1, arbitrary: percentEncoded },
    ),
  });
/** The URLs of `fc.webUrl`, which builds a map of all characters. */
const webUrl = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    authority: fc.webAuthority(),
    path: fc.array(textOf(IN_SEGMENTS).map((segment) => `/${segment}`)),
    query: fc.option(textOf(`${IN_SEGMENTS}/?`).map((text) => `?${text}`)),
    fragment: fc.option(textOf(`${IN_SEGMENTS}/?`).map((text) => `#${text}`)),
  })
  .map(
    ({ scheme, authority, path, query, fragment }) =>
      `${scheme}://${authority}${path.join('')}${query ?? ''}${fragment ?? ''}`,
  );

test('accepts every web URL', () => {
  fc.assert(
    fc.property(webUrl, (uri) => {
      assert.equal(createUriCheck()(uri), null, uri);
    }),
  );
});

test('caching a valid URI does not affect the check of other URIs', () => {
  const check = createUriCheck();
  assert.equal(check('urn:a'), null);
  assert.notEqual(check('urn:a b'), null);
  assert.notEqual(check(''), null);
  assert.equal(check('urn:a'), null);
});
