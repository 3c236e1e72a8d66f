import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { strict } from '../../../tests/support/assistant/fake-model.ts';
import type { HistoryMessage } from '../answerer.ts';
import { all, ask, failureOf, fake, RETURNS, textOf } from './asking.suite.ts';
import { alternating } from './prompt.ts';

beforeEach(() => fake.reset());

const user = (text: string): HistoryMessage => ({ role: 'user', text });
const assistant = (text: string): HistoryMessage => ({ role: 'assistant', text });

/** Histories that result from failed, stopped, hidden and trimmed answers. */
const HISTORIES: Readonly<Record<string, readonly HistoryMessage[]>> = {
  'no messages': [],
  'a question without an answer': [user('One?')],
  'an answer that was stopped before its first word': [user('One?'), assistant('')],
  'an answer of white space': [user('One?'), assistant(' \n'), user('Two?'), assistant('Two.')],
  'a partial answer': [user('One?'), assistant('On')],
  'several questions without an answer': [user('One?'), user('Two?'), user('Three?')],
  'a question without an answer before an answered question': [
    user('One?'),
    user('Two?'),
    assistant('Two.'),
  ],
  'an answer before the first question': [assistant('Hello!'), user('One?'), assistant('One.')],
  'only an answer': [assistant('Hello!')],
  'two answers in a row': [user('One?'), assistant('One.'), assistant('More.'), user('Two?')],
};

for (const [name, history] of Object.entries(HISTORIES))
  test(`a server with a strict chat template accepts a history with ${name}`, async () => {
    fake.behave(strict({ does: 'answer', pieces: ['Yes [1].'] }));
    assert.equal(textOf(await all(ask({ history, passages: [RETURNS] }))), 'Yes [1].');
    assert.equal(fake.requests.length, 1);
    for (const { text } of history.filter(({ role }) => role === 'user'))
      assert.ok(fake.requests[0]?.text.includes(text), text);
  });

test('a server with a strict chat template accepts searches after an incomplete history', async () => {
  fake.behave(
    strict((_, index) =>
      index < 2
        ? { does: 'search', queries: ['one', 'two'], ...(index === 0 && { says: 'Let me look.' }) }
        : { does: 'answer', pieces: ['Yes.'] },
    ),
  );
  const history = [user('One?'), user('Two?'), assistant('Two'), user('Three?')];
  const parts = await all(ask({ history, search: async () => [RETURNS] }));
  assert.equal(textOf(parts), 'Let me look.\n\nYes.');
  assert.equal(fake.requests.length, 3);
});

test('the strict server rejects a history with two questions in a row', async () => {
  fake.behave((request, index) => {
    const [system, last] = [request.messages[0], request.messages.at(-1)];
    const messages = [system, last, last].filter((message) => message !== undefined);
    return strict({ does: 'answer', pieces: ['Yes.'] })({ ...request, messages }, index);
  });
  assert.equal((await failureOf(ask({}))).detail, 'HTTP 400');
});

test('earlier unanswered questions are sent in the same message as the next question', async () => {
  await all(ask({ history: [user('One?'), assistant('One.'), user('Two?'), user('Three?')] }));
  const messages = fake.requests[0]?.messages ?? [];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  );
  assert.match(
    messages.at(-1)?.content ?? '',
    /\n\nEarlier questions without an answer:\n\nTwo\?\n\nThree\?\n\nThe question:\n\nHow long/,
  );
});

test('the roles of a history alternate, and no question is lost', () => {
  const message = fc.record({
    role: fc.constantFrom<HistoryMessage['role']>('user', 'assistant'),
    text: fc.constantFrom('', ' ', 'a', 'b'),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), (history) => {
      const { messages, unanswered } = alternating(history);
      messages.forEach(({ role, text }, at) => {
        assert.equal(role, at % 2 === 0 ? 'user' : 'assistant');
        assert.notEqual(text.trim(), '');
      });
      assert.equal(messages.length % 2, 0);
      const sent = [...messages, user(unanswered)].filter(({ role }) => role === 'user');
      const questions = (all: readonly HistoryMessage[]) =>
        all
          .filter(({ role }) => role === 'user')
          .flatMap(({ text }) => text.split('\n\n'))
          .filter((text) => text.trim() !== '');
      assert.deepEqual(questions(sent), questions(history));
    }),
  );
});
