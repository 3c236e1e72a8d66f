import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameHint, nearestName } from './nearest-name.ts';

const LINK = [
  'ttlSeconds',
  'permissionFilter',
  'spaceId',
  'botId',
  'sub',
  'exp',
  'userInformation',
];
const AUTH = ['apiKey', 'signature', 'timestamp'];

const near: readonly (readonly [string, readonly string[], string])[] = [
  ['ttl_seconds', LINK, 'ttlSeconds'],
  ['TTLSECONDS', LINK, 'ttlSeconds'],
  ['ttl-seconds', LINK, 'ttlSeconds'],
  ['permisionFilter', LINK, 'permissionFilter'],
  ['permissoinFilter', LINK, 'permissionFilter'],
  ['sbu', LINK, 'sub'],
  ['space', LINK, 'spaceId'],
  ['userInfo', LINK, 'userInformation'],
  ['event', ['events', 'auth'], 'events'],
  ['key', AUTH, 'apiKey'],
  ['api_key', AUTH, 'apiKey'],
];

for (const [name, candidates, meant] of near) {
  test(`suggests ${meant} for ${name}`, () => {
    assert.equal(nearestName(name, candidates), meant);
  });
}

test('suggests nothing for a name that resembles no candidate', () => {
  for (const name of ['', 'q', 'colour', 'zz', '__proto__', 'x'.repeat(100_000)]) {
    assert.equal(nearestName(name, AUTH), undefined, name.slice(0, 20));
  }
});

test('suggests nothing if there are no candidates', () => {
  assert.equal(nearestName('spaceId', []), undefined);
});

test('suggests the nearer of two similar candidates', () => {
  assert.equal(nearestName('botIds', ['botIdx1', 'botId']), 'botId');
});

test('a hint suggests the nearest name in parentheses, and is empty without one', () => {
  assert.equal(nameHint('ttl', LINK), ' (did you mean ttlSeconds?)');
  assert.equal(nameHint('PROT', ['PORT'], 'GATEHOUSE_'), ' (did you mean GATEHOUSE_PORT?)');
  assert.equal(nameHint('colour', LINK), '');
});
