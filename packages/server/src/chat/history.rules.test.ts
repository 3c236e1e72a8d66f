import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HistoryMessage } from '../ports/answerer.ts';
import { HISTORY_BUDGET, MOST_MESSAGES, withinBudget } from './history.rules.ts';

const user = (text: string): HistoryMessage => ({ role: 'user', text });
const assistant = (text: string): HistoryMessage => ({ role: 'assistant', text });

test('all that was said is taken while there is room', () => {
  const said = [user('One?'), assistant('One.'), user('Two?'), assistant('Two.')];
  assert.deepEqual(withinBudget(said), said);
  assert.deepEqual(withinBudget([]), []);
});

test('the oldest goes first, and what is left begins with a question', () => {
  const long = 'x'.repeat(HISTORY_BUDGET / 2);
  const said = [user('One?'), assistant(long), user('Two?'), assistant(long)];
  assert.deepEqual(withinBudget(said), said.slice(2));
  assert.deepEqual(withinBudget([assistant('Hello!'), user('One?')]), [user('One?')]);
  assert.deepEqual(withinBudget([user('One?'), assistant('x'.repeat(HISTORY_BUDGET))]), []);
});

test('whatever was said, the newest whole messages are taken, and never more than the budget', () => {
  const message = fc.record({
    role: fc.constantFrom<'user' | 'assistant'>('user', 'assistant'),
    text: fc.integer({ min: 0, max: 4000 }).map((length) => 'x'.repeat(length)),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 60 }), (said) => {
      const kept = withinBudget(said);
      assert.deepEqual(kept, kept.length === 0 ? [] : said.slice(-kept.length));
      assert.ok(kept.length <= MOST_MESSAGES);
      assert.ok(kept.reduce((sum, { text }) => sum + text.length, 0) <= HISTORY_BUDGET);
      assert.ok(kept.length === 0 || kept[0]?.role === 'user');
    }),
  );
});
