import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLogo, MAX_LOGO_LENGTH } from './logo.ts';

const PNG = 'data:image/png;base64,';

test('a logo is a data URL of an image of at most 32 kB', () => {
  for (const type of ['png', 'jpeg', 'webp', 'gif', 'svg+xml', 'PNG'])
    assert.equal(isLogo(`data:image/${type};base64,AAAA`), true, type);
  assert.equal(isLogo('data:image/svg+xml,%3Csvg/%3E'), true);
  assert.equal(isLogo(PNG.padEnd(MAX_LOGO_LENGTH - 1, 'A')), true);
  assert.equal(isLogo(PNG.padEnd(MAX_LOGO_LENGTH, 'A')), true);
  assert.equal(isLogo(PNG.padEnd(MAX_LOGO_LENGTH + 1, 'A')), false);
});

test('other URLs and values are not logos', () => {
  const others = [
    'https://shop.example/logo.png',
    '/logo.png',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:image/pngx;base64,AAAA',
    'data:image/tiff;base64,AAAA',
    ' data:image/png;base64,AAAA',
    '',
    null,
    7,
    [`${PNG}AAAA`],
  ];
  for (const value of others) assert.equal(isLogo(value), false, String(value));
});
