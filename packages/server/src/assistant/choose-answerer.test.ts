import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModel } from '../../tests/support/fake-model.ts';
import { createAnswerer } from './choose-answerer.ts';

const fake = await startFakeModel();
after(() => fake[Symbol.asyncDispose]());

const cases = [
  [
    'without an API the documents are quoted, also where a bot names a model',
    null,
    null,
    'bots',
    'quoted',
  ],
  ['with an API alone the documents are quoted', fake.url, null, null, 'quoted'],
  ['with an API the model of a bot answers', fake.url, null, 'bots', 'bots'],
  ['with an API and a name that model answers', fake.url, 'ours', null, 'ours'],
  [
    'the model of a bot answers instead of that of the installation',
    fake.url,
    'ours',
    'bots',
    'bots',
  ],
] as const;
for (const [what, url, name, model, answers] of cases)
  test(what, async () => {
    fake.reset();
    const answer = createAnswerer({ url, key: null, name }).answer({
      model,
      locale: null,
      instructions: '',
      facts: null,
      history: [],
      question: 'Is the shop open?',
      passages: [],
      search: async () => [],
      signal: new AbortController().signal,
    });
    let text = '';
    for await (const part of answer) if (part.kind === 'text') text += part.text;
    assert.match(text, answers === 'quoted' ? /^I found nothing/ : /^Yes\.$/);
    assert.deepEqual(
      fake.requests.map((request) => request.model),
      answers === 'quoted' ? [] : [answers],
    );
  });
