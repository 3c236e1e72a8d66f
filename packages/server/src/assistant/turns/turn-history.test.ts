import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  HISTORY_BUDGET,
  type HistoryEntry,
  MAX_DOCUMENTS,
  MAX_MESSAGES,
  withinBudget,
} from './turn-history.ts';

const user = (text: string): HistoryEntry => ({ role: 'user', text, documents: [] });
const assistant = (text: string, documents: string[] = []): HistoryEntry => ({
  role: 'assistant',
  text,
  documents,
});

test('the history contains all messages if they fit the budget', () => {
  const history = [user('One?'), assistant('One.'), user('Two?'), assistant('Two.')];
  assert.deepEqual(withinBudget(history), history);
  assert.deepEqual(withinBudget([]), []);
});

test('the history omits the oldest messages if necessary, and starts with a question', () => {
  const long = 'x'.repeat(HISTORY_BUDGET / 2);
  const history = [user('One?'), assistant(long), user('Two?'), assistant(long)];
  assert.deepEqual(withinBudget(history), history.slice(2));
  assert.deepEqual(withinBudget([assistant('Hello!'), user('One?')]), [user('One?')]);
  assert.deepEqual(withinBudget([user('One?'), assistant('x'.repeat(HISTORY_BUDGET))]), []);
});

test('the history omits older messages if they have too many documents', () => {
  const ids = Array.from({ length: MAX_DOCUMENTS + 1 }, (_, n) => `document ${n}`);
  const history = [
    user('One?'),
    assistant('One.', ids),
    user('Two?'),
    assistant('Two.', ['other']),
  ];
  assert.deepEqual(withinBudget(history), history.slice(2));
  assert.deepEqual(withinBudget(history.slice(0, 2)), []);
  const many = Array.from({ length: 5 }, () => [user('?'), assistant('!', ids.slice(1))]).flat();
  assert.deepEqual(withinBudget(many), many);
});

test('the history consists of the newest messages, complete and within all limits', () => {
  const message = fc.record({
    role: fc.constantFrom<'user' | 'assistant'>('user', 'assistant'),
    text: fc.integer({ min: 0, max: 4000 }).map((length) => 'x'.repeat(length)),
    documents: fc
      .tuple(fc.nat(2000), fc.nat(400))
      .map(([from, count]) => Array.from({ length: count }, (_, n) => `${from + n}`)),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 60 }), (history) => {
      const kept = withinBudget(history);
      assert.deepEqual(kept, kept.length === 0 ? [] : history.slice(-kept.length));
      assert.ok(kept.length <= MAX_MESSAGES);
      assert.ok(kept.reduce((sum, { text }) => sum + text.length, 0) <= HISTORY_BUDGET);
      assert.ok(new Set(kept.flatMap(({ documents }) => documents)).size <= MAX_DOCUMENTS);
      assert.ok(kept.length === 0 || kept[0]?.role === 'user');
    }),
  );
});
