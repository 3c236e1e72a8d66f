import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { identityOf } from './event-store.ts';

const text = fc.string({ unit: 'grapheme' });

test('an identity is 16 bytes, the first of a SHA-256', () => {
  const fingerprint = identityOf('space', 'urn:ü', 'id');
  assert.equal(fingerprint.length, 16);
  const expected = createHash('sha256').update('5:5:spaceurn:üid').digest().subarray(0, 16);
  assert.deepEqual(Buffer.from(fingerprint, 'latin1'), expected);
});

test('the same three values have the same identity', () => {
  fc.assert(
    fc.property(text, text, text, (space, source, id) => {
      assert.equal(identityOf(space, source, id), identityOf(`${space}`, `${source}`, `${id}`));
    }),
  );
});

test('moving a character from one value to the next makes another identity', () => {
  fc.assert(
    fc.property(text, text, text, fc.nat(), (space, source, id, place) => {
      const [a, b, c] = splitElsewhere(space + source + id, place);
      if (a === space && b === source && c === id) return;
      assert.notEqual(identityOf(space, source, id), identityOf(a, b, c));
    }),
  );
});

test('digits and colons in the values do not imitate the lengths', () => {
  const identities = new Set([
    identityOf('', '1:1:ab', ''),
    identityOf('', '1:1:a', 'b'),
    identityOf('1', '1:a', 'b'),
    identityOf('1:', '1:a', 'b'),
    identityOf('1:1', ':a', 'b'),
  ]);
  assert.equal(identities.size, 5);
});

function splitElsewhere(joined: string, place: number): [string, string, string] {
  const characters = [...joined];
  const first = place % (characters.length + 1);
  const second = first + ((place >> 3) % (characters.length - first + 1));
  const part = (start: number, end?: number) => characters.slice(start, end).join('');
  return [part(0, first), part(first, second), part(second)];
}
