import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { streamOf, USAGE } from '../../../tests/support/assistant/fake-model.ts';
import type { AnswerPart } from '../answerer.ts';
import {
  all,
  ask,
  fake,
  isFailure,
  KEY,
  LAMPS,
  modelAnswerer,
  question,
  RETURNS,
  SECRET,
  SHIPPING,
  shown,
  sourcesOf,
  textOf,
  untilError,
} from './asking.suite.ts';
import { createModelAnswerer, createModelDirectory } from './index.ts';

beforeEach(() => fake.reset());

/** Yields each piece after the previous pieces have been received. */
async function* oneByOne(
  pieces: readonly string[],
  received: () => string,
): AsyncGenerator<string> {
  let sent = '';
  for (const piece of pieces) {
    while (received() !== sent) await soon();
    sent += piece;
    yield piece;
  }
}

describe("a model's answer", () => {
  test('is streamed with the cited passages and the token counts', async () => {
    const parts: AnswerPart[] = [];
    const pieces = ['Five ', 'days [', '1]. A lamp', ' is 24.95 [2][1].'];
    fake.behave({ does: 'answer', pieces: oneByOne(pieces, () => textOf(parts)) });
    for await (const part of ask({ passages: [RETURNS, LAMPS] })) parts.push(part);
    assert.deepEqual(parts, [
      { kind: 'model', name: 'small' },
      { kind: 'request' },
      { kind: 'text', text: 'Five ' },
      { kind: 'text', text: 'days [' },
      { kind: 'text', text: '1]. A lamp' },
      { kind: 'source', number: 1, passage: RETURNS },
      { kind: 'text', text: ' is 24.95 [2][1].' },
      { kind: 'source', number: 2, passage: LAMPS },
      { kind: 'usage', inputTokens: 11, outputTokens: 7 },
    ]);
  });

  test('omits impossible token counts', async () => {
    for (const tokens of [-1, 1.5, 1e300]) {
      const usage = JSON.stringify({ ...USAGE, prompt_tokens: tokens });
      const bytes = streamOf(['Yes.']).replace(JSON.stringify(USAGE), usage);
      assert.ok(bytes.includes(usage));
      fake.behave({ does: 'send', bytes });
      const { parts, error } = await untilError(ask({}));
      assert.equal(error, null, `${tokens}`);
      assert.equal(textOf(parts), 'Yes.');
      assert.deepEqual(
        parts.filter(({ kind }) => kind === 'usage'),
        [],
      );
    }
  });

  test("comes from the bot's model or the default model, and the request contains the API key", async () => {
    await all(ask({ model: null }));
    await all(ask({ model: 'other' }));
    assert.deepEqual(
      fake.requests.map(({ model, path, authorization }) => [model, path, authorization]),
      [
        ['small', '/v1/chat/completions', `Bearer ${KEY}`],
        ['other', '/v1/chat/completions', `Bearer ${KEY}`],
      ],
    );
    const nameless = createModelAnswerer({
      models: createModelDirectory({ api: { url: fake.url, key: null }, name: null }),
    });
    await assert.rejects(all(nameless.answer(question({}))), isFailure('refused'));
    const [first] = await all(nameless.answer(question({ model: 'mine' })));
    assert.deepEqual(first, { kind: 'model', name: 'mine' });
    assert.equal(fake.requests.at(-1)?.authorization, undefined);
  });

  test('has sources for all citation formats and ignores unknown passage numbers', async () => {
    const cited: [string, number[]][] = [
      ['a [1, 3] b', [1, 3]],
      ['a [1-3] b', [1, 2, 3]],
      ['答案【2】。', [2]],
      ['[4] [0] [99] [1000] [x] []', []],
      ['[3', []],
    ];
    for (const [text, numbers] of cited) {
      fake.behave({ does: 'answer', pieces: [...text] });
      const parts = await all(ask({ passages: [RETURNS, LAMPS, SHIPPING] }));
      assert.deepEqual(
        parts.flatMap((part) => (part.kind === 'source' ? [part.number] : [])),
        numbers,
        text,
      );
    }
  });

  test('is reported as unanswered if it cites nothing, except for small talk', async () => {
    const isUnanswered = async (asked: string, answer: string) => {
      fake.behave({ does: 'answer', pieces: [answer] });
      const parts = await all(ask({ question: asked, passages: [RETURNS] }));
      return parts.some(({ kind }) => kind === 'unanswered');
    };
    assert.equal(await isUnanswered('How long?', 'Five days [1].'), false);
    assert.equal(await isUnanswered('How long?', 'I do not know [7].'), true);
    assert.equal(await isUnanswered('How long?', 'I do not know.'), true);
    assert.equal(await isUnanswered('Good morning!', 'Hello.'), false);
  });

  test('continues after a search, can cite the results, and makes a limited number of searches', async () => {
    const asked: string[] = [];
    fake.behave((_, index) =>
      index < 4
        ? {
            does: 'search',
            queries: [`query ${index}`],
            ...(index === 0 && { says: 'Let me look.' }),
          }
        : { does: 'answer', pieces: ['On Mondays [2], as [1] says.'] },
    );
    const search = async (query: string) => {
      asked.push(query);
      return [SHIPPING, RETURNS];
    };
    const parts = await all(ask({ passages: [RETURNS], search }, { searches: 4 }));
    assert.deepEqual(asked, ['query 0', 'query 1', 'query 2', 'query 3']);
    assert.equal(textOf(parts), 'Let me look.\n\nOn Mondays [2], as [1] says.');
    assert.deepEqual(sourcesOf(parts), [
      [2, SHIPPING],
      [1, RETURNS],
    ]);
    assert.equal(parts.filter(({ kind }) => kind === 'usage').length, 5);
    assert.equal(fake.requests.length, 5);
    assert.equal(fake.requests[4]?.toolChoice, 'none');
  });

  test('ends even if the model only searches and never answers', async () => {
    let searches = 0;
    fake.behave({ does: 'search', queries: ['a', 'b', 'c', 'd', 'e'] });
    const search = async () => {
      searches++;
      throw new Error(SECRET);
    };
    await assert.rejects(all(ask({ search })), isFailure('garbage'));
    assert.equal(searches, 3);
    assert.equal(fake.requests.length, 4);
    assert.doesNotMatch(shown(), new RegExp(SECRET));
    assert.match(shown(), /The search failed/);
  });

  test('uses only the given passages if the model does not support tools', async () => {
    fake.behave(({ tools }) =>
      tools.length > 0
        ? { does: 'status', status: 400, body: '{"error":{"message":"no tools"}}' }
        : { does: 'answer', pieces: ['Yes [1].'] },
    );
    const answerer = modelAnswerer();
    for (const count of [2, 3]) {
      const parts = await all(answerer.answer(question({ passages: [RETURNS] })));
      assert.equal(textOf(parts), 'Yes [1].');
      assert.equal(fake.requests.length, count);
    }
    assert.doesNotMatch(fake.requests[1]?.messages[0]?.content ?? '', /search/);
  });

  test('does not contain the reasoning of the model', async () => {
    fake.behave({ does: 'answer', pieces: ['<think>', 'secretly [1]', '</think>', 'Yes.'] });
    assert.equal(textOf(await all(ask({ passages: [RETURNS] }))).trim(), 'Yes.');
    fake.behave({ does: 'reason', forMs: 10, pieces: ['Yes.'] });
    assert.equal(textOf(await all(ask({}))), 'Yes.');
  });

  test('is complete even if the response splits characters between chunks', async () => {
    const words = ['Grüße, 世界 ', '👩‍👩‍👧', '\ud83d', '\ude00 \0.', '\ud83d'];
    fake.behave({ does: 'send', bytes: streamOf(words), atATime: 1 });
    const parts = await all(ask({}));
    assert.equal(textOf(parts), 'Grüße, 世界 👩‍👩‍👧😀 \ufffd.');
    for (const part of parts) assert.ok(part.kind !== 'text' || part.text.isWellFormed());
    fake.behave({ does: 'send', bytes: streamOf(words).replaceAll('\n', '\r\n'), atATime: 3 });
    assert.equal(textOf(await all(ask({}))), textOf(parts));
  });
});

test('concurrent answers do not mix', async () => {
  fake.behave(({ messages }) => ({
    does: 'answer',
    pieces: ['About ', (messages.at(-1)?.content ?? '').split(' ').at(-1) ?? ''],
    pauseMs: 5,
  }));
  const answerer = modelAnswerer();
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) =>
      textOf(await all(answerer.answer(question({ question: `What about ${index}` })))),
    ),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: 50 }, (_, index) =>
      `About What about ${index}`.replace('What about ', ''),
    ),
  );
});
