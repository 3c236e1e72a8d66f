import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  HISTORY_BUDGET,
  MOST_DOCUMENTS,
  MOST_MESSAGES,
  type SaidMessage,
  withinBudget,
} from './turn-history.ts';

const user = (text: string): SaidMessage => ({ role: 'user', text, documents: [] });
const assistant = (text: string, documents: string[] = []): SaidMessage => ({
  role: 'assistant',
  text,
  documents,
});

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

test('what rests on very many documents is left out, so that they do not grow without end', () => {
  const ids = Array.from({ length: MOST_DOCUMENTS + 1 }, (_, n) => `document ${n}`);
  const said = [user('One?'), assistant('One.', ids), user('Two?'), assistant('Two.', ['other'])];
  assert.deepEqual(withinBudget(said), said.slice(2));
  assert.deepEqual(withinBudget(said.slice(0, 2)), []);
  const many = Array.from({ length: 5 }, () => [user('?'), assistant('!', ids.slice(1))]).flat();
  assert.deepEqual(withinBudget(many), many);
});

test('whatever was said, the newest whole messages are taken, and never more than the budget', () => {
  const message = fc.record({
    role: fc.constantFrom<'user' | 'assistant'>('user', 'assistant'),
    text: fc.integer({ min: 0, max: 4000 }).map((length) => 'x'.repeat(length)),
    documents: fc
      .tuple(fc.nat(2000), fc.nat(400))
      .map(([from, count]) => Array.from({ length: count }, (_, n) => `${from + n}`)),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 60 }), (said) => {
      const kept = withinBudget(said);
      assert.deepEqual(kept, kept.length === 0 ? [] : said.slice(-kept.length));
      assert.ok(kept.length <= MOST_MESSAGES);
      assert.ok(kept.reduce((sum, { text }) => sum + text.length, 0) <= HISTORY_BUDGET);
      assert.ok(new Set(kept.flatMap(({ documents }) => documents)).size <= MOST_DOCUMENTS);
      assert.ok(kept.length === 0 || kept[0]?.role === 'user');
    }),
  );
});
