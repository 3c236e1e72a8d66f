import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { identityOf } from './event-store.ts';

const text = fc.string({ unit: 'grapheme' });

test('an identity is the first 16 bytes of a SHA-256 hash', () => {
  const fingerprint = identityOf('space', 'urn:ü', 'id');
  assert.equal(fingerprint.length, 16);
  const expected = createHash('sha256').update('5:5:spaceurn:üid').digest().subarray(0, 16);
  assert.deepEqual(Buffer.from(fingerprint, 'latin1'), expected);
});

test('equal values have equal identities', () => {
  fc.assert(
    fc.property(text, text, text, (space, source, id) => {
      assert.equal(identityOf(space, source, id), identityOf(`${space}`, `${source}`, `${id}`));
    }),
  );
});

test('moving a character from one value to the next changes the identity', () => {
  fc.assert(
    fc.property(text, text, text, fc.nat(), (space, source, id, position) => {
      const [a, b, c] = splitDifferently(space + source + id, position);
      if (a === space && b === source && c === id) return;
      assert.notEqual(identityOf(space, source, id), identityOf(a, b, c));
    }),
  );
});

test('digits and colons in the values cannot be mistaken for lengths', () => {
  const identities = new Set([
    identityOf('', '1:1:ab', ''),
    identityOf('', '1:1:a', 'b'),
    identityOf('1', '1:a', 'b'),
    identityOf('1:', '1:a', 'b'),
    identityOf('1:1', ':a', 'b'),
  ]);
  assert.equal(identities.size, 5);
});

function splitDifferently(joined: string, position: number): [string, string, string] {
  const characters = [...joined];
  const first = position % (characters.length + 1);
  const second = first + ((position >> 3) % (characters.length - first + 1));
  const part = (start: number, end?: number) => characters.slice(start, end).join('');
  return [part(0, first), part(first, second), part(second)];
}
