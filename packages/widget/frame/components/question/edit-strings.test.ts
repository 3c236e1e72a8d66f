import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EDIT_STRINGS, editStrings } from './edit-strings.ts';

test('every language has strings of its own for edited questions, and others have the English ones', () => {
  const labels = Object.values(EDIT_STRINGS).flatMap(({ edit, removed }) => [edit, removed]);
  assert.equal(new Set(labels).size, 16);
  assert.equal(editStrings('nl'), EDIT_STRINGS.en);
});
