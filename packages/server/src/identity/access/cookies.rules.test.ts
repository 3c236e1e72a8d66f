import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCookie, setCookie } from './cookies.rules.ts';

const HTTPS = { name: 'gatehouse', baseUrl: 'https://gate.example' };
const HTTP = { name: 'gatehouse', baseUrl: 'http://localhost:8080' };

test('a cookie is secure and bound to the host if clients use https', () => {
  assert.equal(
    setCookie('v', HTTPS, { seconds: 60, sameSite: 'Strict' }),
    '__Host-gatehouse=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
  );
  assert.equal(
    setCookie('v', HTTP, { seconds: 60, sameSite: 'Lax' }),
    'gatehouse=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  );
});

test('only the cookie with the exact name is read', () => {
  assert.equal(readCookie('a=1; __Host-gatehouse=v; b=2', HTTPS), 'v');
  assert.equal(readCookie('gatehouse=v', HTTPS), '');
  assert.equal(readCookie('x__Host-gatehouse=v', HTTPS), '');
  assert.equal(readCookie('gatehouse-sso=x; gatehouse=a=b', HTTP), 'a=b');
  for (const header of [undefined, '', ';', 'gatehouse'])
    assert.equal(readCookie(header, HTTP), '');
});
