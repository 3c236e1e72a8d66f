import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTACHMENT_STRINGS, attachmentStrings, problemOf } from './attachment-strings.ts';

const { en, ...others } = ATTACHMENT_STRINGS;

test('every language has all strings of attachments with the placeholders of English', () => {
  for (const [language, strings] of Object.entries(others)) {
    assert.deepEqual(Object.keys(strings), Object.keys(en), language);
    assert.ok(strings.remove.includes('{name}'), language);
    for (const [name, text] of Object.entries(strings))
      assert.notEqual(text, en[name as keyof typeof en], `${language} ${name}`);
  }
});

test('an unknown error code and an unknown language have a text', () => {
  assert.equal(problemOf('', attachmentStrings('nl')), en.failed);
  assert.equal(problemOf('chat.attachment-too-large', others.de), others.de.tooLarge);
});
