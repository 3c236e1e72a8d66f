import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveLoginUrl } from './login-url.ts';

const PAGE = 'https://shop.example/cart?x=1';

test('accepts an http(s) URL, even if the embedding page is unknown', () => {
  for (const page of [PAGE, null]) {
    assert.equal(resolveLoginUrl('https://login.example/in', page), 'https://login.example/in');
    assert.equal(resolveLoginUrl('http://login.example', page), 'http://login.example/');
  }
});

test('resolves a path against the embedding page', () => {
  assert.equal(resolveLoginUrl('/login?next=1', PAGE), 'https://shop.example/login?next=1');
  assert.equal(resolveLoginUrl('/login', null), null);
  assert.equal(resolveLoginUrl('/login', 'about:blank'), null);
});

test('rejects all targets except absolute http(s) URLs and paths', () => {
  for (const loginUrl of [
    null,
    '',
    'login',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'https:evil.example',
    'ftp://files.example',
  ])
    assert.equal(resolveLoginUrl(loginUrl, PAGE), null, String(loginUrl));
});
