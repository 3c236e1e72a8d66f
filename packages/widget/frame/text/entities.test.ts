import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEntities } from './entities.ts';

test('decodes named, decimal and hexadecimal references', () => {
  assert.equal(
    decodeEntities('&lt;b&gt; &amp; &euro;&nbsp;5 &#8211; &#x1F600;'),
    '<b> & €\u00a05 – 😀',
  );
});

test('decodes each character reference only once', () => {
  assert.equal(decodeEntities('&amp;lt;'), '&lt;');
  assert.equal(decodeEntities('&#38;lt;'), '&lt;');
});

test('leaves other text unchanged', () => {
  for (const text of ['AT&T', '&unknown;', '&constructor;', '&lt', '&;', '&#;', '&#x;'])
    assert.equal(decodeEntities(text), text);
});

test('decodes invalid code points to the replacement character', () => {
  assert.equal(decodeEntities('&#0;&#xD800;&#x110000;'), '\ufffd\ufffd\ufffd');
});
