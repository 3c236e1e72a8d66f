import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginUrlProblem } from './link-request.rules.ts';

const good = [
  '/',
  '/login',
  '/login?return=%2Fchat#top',
  '/a//b',
  '/../x',
  'https://shop.example',
  'http://localhost:3000/login',
  'HTTPS://Shop.Example/Login?a=b&c=d',
  'https://[::1]:8443/',
  'https://münchen.example/straße',
  'https://shop.example/?to=//other.example',
  'https://shop.example/a@b',
];
const bad = [
  ['//evil.example', /one "\/"/],
  ['///evil.example', /one "\/"/],
  ['/\\evil.example', /backslashes/],
  ['\\\\evil.example', /backslashes/],
  ['https:\\\\evil.example', /backslashes/],
  ['/a b', /spaces/],
  [' /a', /spaces/],
  ['/a\n', /control characters/],
  ['/\t/evil.example', /control characters/],
  ['java\u0000script:alert(1)', /control characters/],
  ['/a\u0085', /control characters/],
  ['/a\u200b', /control characters/],
  ['/a\u202e', /control characters/],
  ['/a\u2028', /spaces/],
  ['/a\ud800', /control characters/],
  ['javascript:alert(1)', /absolute URL/],
  ['JavaScript://shop.example/%0aalert(1)', /absolute URL/],
  ['data:text/html,x', /absolute URL/],
  ['ftp://shop.example', /absolute URL/],
  ['http:x', /absolute URL/],
  ['http:/shop.example', /absolute URL/],
  ['http:///shop.example', /absolute URL/],
  ['https://', /absolute URL/],
  ['https://?a', /absolute URL/],
  ['login', /absolute URL/],
  ['?a', /absolute URL/],
  ['#a', /absolute URL/],
  ['shop.example/login', /absolute URL/],
  ['https://user:secret@shop.example', /user name/],
  ['https://shop.example@evil.example', /user name/],
  ['https://@shop.example', /user name/],
  ['https://shop.example:99999', /valid URL/],
  ['https://[::1', /valid URL/],
  ['https://a%00b', /valid URL/],
] as const;

for (const url of good)
  test(`${JSON.stringify(url)} is a valid loginUrl`, () => {
    assert.equal(loginUrlProblem(url), null);
  });

for (const [url, problem] of bad)
  test(`${JSON.stringify(url)} is an invalid loginUrl`, () => {
    assert.match(loginUrlProblem(url) ?? 'no problem', problem);
  });
