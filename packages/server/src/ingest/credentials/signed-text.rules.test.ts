import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalForm } from '../../../tests/support/events/signing.ts';
import { readBatch } from '../formats/batch.rules.ts';
import { createSignedTexts } from './signed-text.rules.ts';

const EVENT = { specversion: '1.0', id: 'a', source: 'urn:shop', type: 'b' };
const AUTH = { signature: 'v1,x', timestamp: '1' };

function textOf(event: unknown, spaces?: string) {
  const batch = readBatch(Buffer.from(JSON.stringify({ events: [event] }, null, spaces)));
  const [read] = batch.events;
  assert.ok(read);
  return createSignedTexts(batch.bytes)(read);
}

test('the signed text is the canonical event without auth, independent of member order and white space', () => {
  const members = fc.dictionary(
    fc.string().filter((name) => name !== 'auth'),
    fc.jsonValue(),
  );
  const place = fc.nat({ max: 20 });
  fc.assert(
    fc.property(members, place, fc.constantFrom('', ' ', '\t'), (more, at, spaces) => {
      const entries: [string, unknown][] = Object.entries({ ...more, ...EVENT });
      const event = Object.fromEntries(entries);
      const withAuth = Object.fromEntries(entries.toSpliced(at, 0, ['auth', AUTH]));
      const signed = textOf(withAuth, spaces);
      assert.ok(signed.ok);
      assert.equal(signed.text, canonicalForm(JSON.parse(JSON.stringify(event))));
      assert.deepEqual(signed, textOf(event));
    }),
  );
});

test('returns the signed text of an invalid event, so its sender can be authenticated', () => {
  const signed = textOf({ ...EVENT, time: 'now', auth: AUTH });
  assert.ok(signed.ok);
  assert.equal(signed.text, canonicalForm({ ...EVENT, time: 'now' }));
});

test('returns a problem for an event without ID or source and for an event nested too deeply', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 600; level++) deep = [deep];
  for (const event of [
    7,
    null,
    [],
    { ...EVENT, id: 7 },
    { ...EVENT, source: null },
    { ...EVENT, data: deep },
  ])
    assert.deepEqual(textOf(event), { ok: false, problem: 'without an id and a source' });
});
