import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveLoginUrl } from './login-url.ts';

const PAGE = 'https://shop.example/cart?x=1';

test('an http(s) URL is used as it is, with or without a known page', () => {
  for (const page of [PAGE, null]) {
    assert.equal(resolveLoginUrl('https://login.example/in', page), 'https://login.example/in');
    assert.equal(resolveLoginUrl('http://login.example', page), 'http://login.example/');
  }
});

test('a path is resolved against the embedding page', () => {
  assert.equal(resolveLoginUrl('/login?next=1', PAGE), 'https://shop.example/login?next=1');
  assert.equal(resolveLoginUrl('/login', null), null);
  assert.equal(resolveLoginUrl('/login', 'about:blank'), null);
});

test('any other target is rejected', () => {
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
