import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalUrl, matchesPattern } from './url.rules.ts';

test('a URL has one canonical form, so that an encoded path cannot bypass a pattern', () => {
  for (const [url, canonical] of [
    ['HTTPS://Shop.Example:443/a/../b#part', 'https://shop.example/b'],
    ['https://shop.example/%73taff/%7euser?q=%2f', 'https://shop.example/staff/~user?q=%2F'],
    ['https://shop.example/a/%2e%2e/staff', 'https://shop.example/staff'],
    ['https://shop.example/%25%36%31', 'https://shop.example/%2561'],
    ['/relative', 'https://shop.example/relative'],
    ['https://shop.example/?', 'https://shop.example/'],
    ['https://shop.example/ü', 'https://shop.example/%C3%BC'],
  ] as const)
    assert.equal(canonicalUrl(url, 'https://shop.example/base'), canonical, url);
  for (const url of ['mailto:a@b.example', 'javascript:1', 'https://a:b@shop.example/', 'http://'])
    assert.equal(canonicalUrl(url), null, url);
  assert.equal(canonicalUrl(`https://shop.example/${'a'.repeat(900)}`), null);
});

test('URLs that differ only in tracking parameters have one canonical form', () => {
  for (const [url, canonical] of [
    ['/a?utm_source=x&utm_medium=mail', '/a'],
    ['/a?gclid=1#top', '/a'],
    ['/a?b=1&fbclid=2&c=%2f', '/a?b=1&c=%2F'],
    ['/a?UTM_Source=x&b', '/a?b'],
    ['/a?%75tm_source=x&utm_id', '/a'],
    [
      '/a?my_utm_source=1&gclids=2&utm=3&b=utm_source=4',
      '/a?my_utm_source=1&gclids=2&utm=3&b=utm_source=4',
    ],
    ['/utm_source=1?&&', '/utm_source=1?&&'],
  ] as const)
    assert.equal(
      canonicalUrl(url, 'https://shop.example/'),
      `https://shop.example${canonical}`,
      url,
    );
});

test('a pattern matches entire paths, and * matches any run of characters', () => {
  for (const [pattern, path, isMatch] of [
    ['/docs/*', '/docs/', true],
    ['/docs/*', '/docs/a/b?c=1', true],
    ['/docs/*', '/documents', false],
    ['/docs', '/docs/', false],
    ['*/print', '/a/b/print', true],
    ['/a*b*c', '/abc', true],
    ['/a*b*c', '/acb', false],
    ['/a*a', '/a', false],
    ['*', '/', true],
    ['/x*y*', '/xaay', true],
  ] as const)
    assert.equal(matchesPattern(pattern, path), isMatch, `${pattern} ${path}`);
});
