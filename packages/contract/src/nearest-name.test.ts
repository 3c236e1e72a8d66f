import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

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
  test(`${name} is taken for ${meant}`, () => {
    assert.equal(nearestName(name, candidates), meant);
  });
}

test('a name that resembles none of the known ones has no nearest', () => {
  for (const name of ['', 'q', 'colour', 'zz', '__proto__', 'x'.repeat(100_000)]) {
    assert.equal(nearestName(name, AUTH), undefined, name.slice(0, 20));
  }
});

test('nothing is near when nothing is known', () => {
  assert.equal(nearestName('spaceId', []), undefined);
});

test('of two near names the nearer one wins', () => {
  assert.equal(nearestName('botIds', ['botIdx1', 'botId']), 'botId');
});
