import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPath, toQuery } from './path.ts';

const fill = (value: unknown) => fillPath('/spaces/{spaceId}/x', () => value);

test('a value is percent-encoded, so it stays one segment of the path', () => {
  assert.equal(fill('a/b?c#d%é'), '/spaces/a%2Fb%3Fc%23d%25%C3%A9/x');
  assert.equal(fill(7), '/spaces/7/x');
  assert.equal(fill('...'), '/spaces/.../x');
});

for (const value of ['', '.', '..', undefined, null, {}, ['a'], true])
  test(`${JSON.stringify(value)} is rejected, because it would name another resource`, () => {
    assert.throws(() => fill(value), { name: 'TypeError', message: /^spaceId must be/ });
  });

test('a query contains the members that are not undefined', () => {
  assert.equal(toQuery({ limit: 2, after: undefined, sub: 'a b&c' }), '?limit=2&sub=a+b%26c');
  assert.equal(toQuery({ after: undefined }), '');
  assert.equal(toQuery(undefined), '');
});
