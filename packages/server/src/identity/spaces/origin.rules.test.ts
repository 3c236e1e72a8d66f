import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originIssues, originProblem } from './origin.rules.ts';

const good = [
  'https://shop.example',
  'http://localhost',
  'http://localhost:3000',
  'https://SHOP.Example',
  'https://xn--bcher-kva.example',
  'http://127.0.0.1:8080',
  'http://[::1]:8080',
  'https://my_shop.example',
];
for (const origin of good) {
  test(`the origin ${origin} is valid`, () => {
    assert.equal(originProblem(origin), undefined);
  });
}

const bad: readonly (readonly [string, RegExp])[] = [
  ['https://shop.example/', /without path, trailing slash .* https:\/\/shop\.example$/],
  ['https://shop.example/a', /: https:\/\/shop\.example$/],
  ['https://shop.example?a', /: https:\/\/shop\.example$/],
  ['https://shop.example#a', /: https:\/\/shop\.example$/],
  ['https://user@shop.example', /: https:\/\/shop\.example$/],
  ['https://shop.example:443', /default port: https:\/\/shop\.example$/],
  ['http://shop.example:80', /default port: http:\/\/shop\.example$/],
  ['https://bücher.example', /: https:\/\/xn--bcher-kva\.example$/],
  ['https://*.shop.example', /wildcards are not supported/],
  ['*', /http or https/],
  ['null', /http or https/],
  ['shop.example', /http or https/],
  ['ftp://shop.example', /http or https/],
  ['file:///etc', /http or https/],
  ['javascript:alert(1)', /http or https/],
  ['https://', /http or https/],
  ['https://shop.example;script-src', /ordinary host name/],
  ["https://'self'", /ordinary host name/],
  ['https://a,b', /ordinary host name/],
  ['https://shop.example.', /ordinary host name/],
  [' https://shop.example', /: https:\/\/shop\.example$/],
  ['https://shop.example\n', /: https:\/\/shop\.example$/],
];
for (const [origin, problem] of bad) {
  test(`the error for the invalid origin ${JSON.stringify(origin)} explains how to fix it`, () => {
    assert.match(originProblem(origin) ?? '', problem);
  });
}

test('every invalid origin of a list is reported with its index', () => {
  const allowedOrigins = ['https://a.example', 'https://b.example/', 'https://A.example', '*'];
  assert.deepEqual(
    originIssues({ allowedOrigins }).map((issue) => issue.message.split(':')[0]),
    ['allowedOrigins[1]', 'allowedOrigins[2]', 'allowedOrigins[3]'],
  );
});

test('values that the schema rejects are ignored', () => {
  for (const allowedOrigins of [undefined, null, 'x', {}, [1, null, '', {}]])
    assert.deepEqual(originIssues({ allowedOrigins }), []);
  const allowedOrigins = ['https://a.example', 'https://a.example'];
  assert.deepEqual(originIssues({ allowedOrigins }), []);
});
