import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModel } from '../../tests/support/assistant/fake-model.ts';
import { createAnswerer } from './choose-answerer.ts';
import { createModelDirectory } from './models/index.ts';

const fake = await startFakeModel();
after(() => fake[Symbol.asyncDispose]());

const cases = [
  [
    'quotes the documents without an API, even if the bot has a model',
    null,
    null,
    'bots',
    'quoted',
  ],
  ['quotes the documents with an API but without a model name', fake.url, null, null, 'quoted'],
  ['asks the model of the bot', fake.url, null, 'bots', 'bots'],
  ['asks the default model', fake.url, 'ours', null, 'ours'],
  ['prefers the model of the bot to the default model', fake.url, 'ours', 'bots', 'bots'],
] as const;
for (const [description, url, name, model, answers] of cases)
  test(description, async () => {
    fake.reset();
    const answer = createAnswerer(
      createModelDirectory({ api: url === null ? null : { url, key: null }, name }),
    ).answer({
      model,
      locale: null,
      texts: { name: 'Shop', title: null, greeting: null, suggestions: [] },
      instructions: '',
      facts: null,
      history: [],
      question: 'Is the shop open?',
      passages: [],
      search: async () => [],
      isBudgetUsed: false,
      showsReasoning: false,
      tools: [],
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
