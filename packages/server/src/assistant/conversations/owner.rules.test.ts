import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerOf, personOf } from './owner.rules.ts';

const nameOf = (sub: string | null) => ownerOf({ spaceId: 'space', linkId: 'link', sub }).name;

test('conversations belong to the sub, or to the link if the sub is missing or empty', () => {
  assert.deepEqual(personOf(nameOf('customer: 42')), { sub: 'customer: 42', linkId: null });
  for (const sub of [null, ''])
    assert.deepEqual(personOf(nameOf(sub)), { sub: null, linkId: 'link' });
});

test('people with long, similar subs have different conversations', () => {
  const subs = ['client', '客'].flatMap((word) =>
    ['', '1', '2'].map((end) => word.repeat(1500) + end),
  );
  assert.equal(new Set(subs.map(nameOf)).size, subs.length);
  for (const sub of subs) {
    assert.ok(Buffer.byteLength(nameOf(sub)) < 1600);
    const shown = personOf(nameOf(sub)).sub ?? '';
    assert.ok(shown.startsWith(sub.slice(0, 100)));
    assert.notEqual(
      nameOf(shown),
      nameOf(sub),
      'a sub cannot be chosen so that it names another person',
    );
  }
});
