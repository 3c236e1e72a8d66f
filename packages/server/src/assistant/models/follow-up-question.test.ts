import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shownPrompt } from '../../../tests/support/assistant/shown-prompt.ts';
import { all, ask, fake, LAMPS, RETURNS, SHIPPING } from './asking.suite.ts';

beforeEach(() => fake.reset());

const history = [
  { role: 'user', text: 'How much does shipping to Austria cost?' },
  { role: 'assistant', text: 'It costs five euros [1].' },
] as const;

/** Asks a question and returns the queries of the service and the passages that the model receives. */
async function askAfter(question: string, given: object = {}) {
  const queries: string[] = [];
  const search = async (query: string) => {
    queries.push(query);
    return [SHIPPING, RETURNS];
  };
  await all(ask({ question, history, passages: [RETURNS, LAMPS], search, ...given }));
  const [request] = fake.requests.splice(0);
  assert.ok(request);
  const passages = shownPrompt(request).passages.map(({ fileName }) => fileName);
  return { queries, passages };
}

test('a follow-up question is searched together with the words of the earlier question', async () => {
  for (const question of ['And to Germany?', 'How long does it take?', 'Germany?']) {
    const { queries, passages } = await askAfter(question);
    assert.equal(queries.length, 1, question);
    assert.match(queries[0] ?? '', /shipping/i);
    assert.deepEqual(passages, ['shipping.md', 'returns.md', 'lamps.csv']);
  }
  const { queries } = await askAfter('Und nach Deutschland?', {
    history: [{ role: 'user', text: 'Was kostet der Versand nach Österreich?' }],
  });
  assert.match(queries[0] ?? '', /versand/i);
});

test('other questions are searched once', async () => {
  const questions = ['Which desk lamps do you sell in the outlet store?', 'Thank you!'];
  for (const question of questions)
    assert.deepEqual(await askAfter(question), {
      queries: [],
      passages: ['returns.md', 'lamps.csv'],
    });
  assert.deepEqual((await askAfter('And to Germany?', { history: [] })).queries, []);
});

test('a failed search for a follow-up question does not fail the answer', async () => {
  const search = () => Promise.reject(new Error('no storage'));
  const { passages } = await askAfter('And to Germany?', { search });
  assert.deepEqual(passages, ['returns.md', 'lamps.csv']);
});
