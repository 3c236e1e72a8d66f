import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HANDOFF_STRINGS, handoffStrings } from './handoff-strings.ts';

const { en, ...others } = HANDOFF_STRINGS;

test('every language has all strings of handoffs with the placeholders of English', () => {
  for (const [language, strings] of Object.entries(others)) {
    assert.deepEqual(Object.keys(strings), Object.keys(en), language);
    assert.ok(strings.joined.includes('{author}'), language);
    for (const [name, text] of Object.entries(strings))
      assert.notEqual(text, en[name as keyof typeof en], `${language} ${name}`);
  }
});

test('an unknown language has English strings', () => {
  assert.equal(handoffStrings('nl'), en);
  assert.equal(handoffStrings('de'), others.de);
});
