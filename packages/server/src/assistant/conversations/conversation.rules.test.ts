import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleOf } from './conversation.rules.ts';

test('the title of a conversation is its question on one line', () => {
  assert.equal(titleOf('  How long\n\tdoes a  refund take? '), 'How long does a refund take?');
  assert.equal(titleOf('x'.repeat(80)), 'x'.repeat(80));
});

test('a title shortens a long question at a word boundary, or within a word that is too long', () => {
  const title = titleOf('Please tell me '.repeat(10));
  assert.equal(title, `${'Please tell me '.repeat(5)}Please…`.replace(' Please…', '…'));
  assert.equal(titleOf('x'.repeat(81)), `${'x'.repeat(79)}…`);
  const faces = titleOf('😀'.repeat(100));
  assert.equal(faces, `${'😀'.repeat(79)}…`);
});
