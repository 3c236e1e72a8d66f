import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCredential } from './credential.rules.ts';

const KEY = `gh_${'a'.repeat(43)}`;

test('a request without credential headers has no credential', () => {
  assert.deepEqual(readCredential({}), { kind: 'none' });
});

test('the authorization scheme may have any letter case and be followed by extra white space', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    assert.deepEqual(readCredential({ authorization: `  ${scheme} \t abc  ` }), {
      kind: 'session',
      text: 'abc',
    });
});

test('an API key is recognised by its prefix in either header', () => {
  assert.deepEqual(readCredential({ authorization: `Bearer ${KEY}` }), { kind: 'key', text: KEY });
  assert.deepEqual(readCredential({ 'x-api-key': ` ${KEY} ` }), { kind: 'key', text: KEY });
});

test('a token with two dots is treated as a JWT', () => {
  assert.equal(readCredential({ authorization: 'Bearer a.b.c' }).kind, 'jwt');
  assert.equal(readCredential({ authorization: 'Bearer a.b' }).kind, 'session');
  assert.equal(readCredential({ authorization: 'Bearer a.b.c.d' }).kind, 'session');
});

test('Authorization takes precedence over X-API-Key, even if Authorization is malformed', () => {
  const both = readCredential({ authorization: 'Bearer abc', 'x-api-key': KEY });
  assert.equal(both.kind, 'session');
  assert.equal(readCredential({ authorization: '', 'x-api-key': KEY }).kind, 'malformed');
});

const malformed: readonly (readonly [string, RegExp])[] = [
  ['', /is empty/],
  ['   ', /is empty/],
  ['Basic dXNlcjpwYXNz', /scheme other than Bearer/],
  [KEY, /scheme other than Bearer/],
  ['Bearer', /no token/],
  ['Bearer ', /no token/],
  ['Bearer a b', /more than one token/],
  ['Bearer abc, Bearer def', /more than one token/],
  ['Bearer a,b', /invalid characters/],
  ['Bearer ä', /invalid characters/],
  ['Bearer "abc"', /invalid characters/],
  [`Bearer ${'a'.repeat(8193)}`, /invalid characters/],
];
for (const [authorization, problem] of malformed) {
  test(`the error explains why the header Authorization: ${authorization.slice(0, 30)} is malformed`, () => {
    const credential = readCredential({ authorization });
    assert.equal(credential.kind, 'malformed');
    if (credential.kind === 'malformed') assert.match(credential.problem, problem);
  });
}

test('an X-API-Key header that contains no API key is malformed', () => {
  for (const key of ['', ' ', 'abc', `${KEY}, ${KEY}`, `Bearer ${KEY}`, [KEY, KEY]])
    assert.equal(readCredential({ 'x-api-key': key }).kind, 'malformed');
});
