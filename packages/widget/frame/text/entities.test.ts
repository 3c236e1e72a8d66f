import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEntities } from './entities.ts';

test('references to characters are the characters', () => {
  assert.equal(
    decodeEntities('&lt;b&gt; &amp; &euro;&nbsp;5 &#8211; &#x1F600;'),
    '<b> & €\u00a05 – 😀',
  );
});

test('what was decoded is not decoded again', () => {
  assert.equal(decodeEntities('&amp;lt;'), '&lt;');
  assert.equal(decodeEntities('&#38;lt;'), '&lt;');
});

test('what is no reference stays as it is', () => {
  for (const text of ['AT&T', '&unknown;', '&constructor;', '&lt', '&;', '&#;', '&#x;'])
    assert.equal(decodeEntities(text), text);
});

test('numbers of no character are the replacement character', () => {
  assert.equal(decodeEntities('&#0;&#xD800;&#x110000;'), '\ufffd\ufffd\ufffd');
});
