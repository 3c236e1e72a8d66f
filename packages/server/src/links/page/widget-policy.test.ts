import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webOrigins, widgetPolicy } from './widget.routes.ts';

test("the policy allows only the page's own script and style and forbids string evaluation", () => {
  assert.equal(
    widgetPolicy('bm9uY2U=', []),
    "default-src 'none'; script-src 'nonce-bm9uY2U='; style-src 'nonce-bm9uY2U='; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'self'",
  );
});

test('the policy allows framing by the given origins', () => {
  const origins = ['https://shop.example', 'http://localhost:3000', 'http://[::1]:80'];
  assert.ok(widgetPolicy('x', origins).endsWith(`; frame-ancestors 'self' ${origins.join(' ')}`));
});

test('webOrigins omits strings that are not web origins', () => {
  const origins = [
    '*',
    'https://*',
    'https:',
    "'unsafe-inline'",
    'https://a.example; script-src *',
    'https://a.example https://b.example',
    'https://a.example,https://b.example',
    'https://a.example/path',
    'https://a.example\n',
    'javascript://a',
    'https://a.example">',
    '',
  ];
  assert.deepEqual(webOrigins(origins), []);
  assert.deepEqual(webOrigins(['https://a.example', ...origins]), ['https://a.example']);
});
