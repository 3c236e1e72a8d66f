import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMediaType } from './media-type.rules.ts';

const good: readonly (readonly [string, string, string | null])[] = [
  ['application/json', 'application/json', null],
  ['APPLICATION/CloudEvents+JSON', 'application/cloudevents+json', null],
  ['text/plain;charset=UTF-8', 'text/plain', 'utf-8'],
  ['text/plain ; Charset="utf-8"', 'text/plain', 'utf-8'],
  ['text/plain; charset="u\\tf-8"', 'text/plain', 'utf-8'],
  ['text/plain; a="; charset=x"; charset=utf-8', 'text/plain', 'utf-8'],
  ['multipart/related; boundary="a b"; type="text/xml"', 'multipart/related', null],
  ['application/json;', 'application/json', null],
  ['application/json;; charset=utf-8;', 'application/json', 'utf-8'],
  ['application/vnd.apache.thrift.binary', 'application/vnd.apache.thrift.binary', null],
];

for (const [text, essence, charset] of good) {
  test(`parses the media type ${text}`, () => {
    assert.deepEqual(parseMediaType(text), { essence, charset });
  });
}

const bad = [
  '',
  ';',
  'xyz',
  'text',
  'text/',
  '/plain',
  'text/plain/x',
  'text /plain',
  'text/plain, text/html',
  'text/plain; charset',
  'text/plain; charset=',
  'text/plain; charset="utf-8',
  'text/plain; charset=utf-8; charset=utf-8',
  'text/plain; charset=utf-8; CHARSET=utf-16',
  'text/plain; a="\u0001"',
  'text/plain\n',
  'tëxt/plain',
  `text/plain; a=${'x'.repeat(1000)}`,
];

for (const text of bad) {
  test(`rejects the media type ${JSON.stringify(text.slice(0, 50))}`, () => {
    assert.equal(parseMediaType(text), null);
  });
}
