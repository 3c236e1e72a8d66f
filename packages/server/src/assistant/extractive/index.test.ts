import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AnswerPart, Question, SourcePassage } from '../answerer.ts';
import { createExtractiveAnswerer } from './index.ts';

const RETURNS = passage(
  'returns.md',
  'Returns › Refunds',
  'A refund reaches your account within five working days. We refund the way you paid.\n\nParcels are free.',
);
const LAMPS = passage(
  'lamps.csv',
  null,
  'Name: Desk lamp | Price: 24.95\nName: Floor lamp | Price: 89.00',
);
const VISA = passage(
  'visa.md',
  'Travel',
  'What do I need for a visa?\n\nFor a visa you need:\n\n- a passport\n- two photos\n\nThe embassy is closed on Mondays.',
);

describe('the extractive answerer', () => {
  test('quotes the sentence that speaks of the question, and cites it', async () => {
    const { text, sources } = await answerTo('When does a refund reach my account?', [
      LAMPS,
      RETURNS,
    ]);
    assert.equal(
      text,
      'From the documents:\n\nA refund reaches your account within five working days. We refund the way you paid. [1]',
    );
    assert.deepEqual(sources, [[1, RETURNS]]);
  });

  test('shows the rows of a table as lines, those that are asked about', async () => {
    const { text, sources } = await answerTo('What is the price of the floor lamp?', [LAMPS]);
    assert.match(text, /\n- Name: Floor lamp \| Price: 89\.00/);
    assert.deepEqual(sources, [[1, LAMPS]]);
  });

  test('shows a list with the sentence that announces it, and no question as an answer', async () => {
    const { text } = await answerTo('What do I need for a visa?', [VISA]);
    assert.match(
      text,
      /^From the documents:\n\nFor a visa you need: \[1\]\n- a passport\n- two photos/,
    );
    assert.doesNotMatch(text, /\?/);
  });

  test('finds the answer behind a question that the document asks', async () => {
    const faq = passage('faq.txt', null, 'How do I reset my password?\nPress the blue key twice.');
    const { text } = await answerTo('reset password', [faq]);
    assert.match(text, /Press the blue key twice\. \[1\]/);
  });

  test('lists quotes of several documents, each with its number, and none twice', async () => {
    const one = passage('one.md', null, 'The warranty of lamps is two years.');
    const two = passage('two.md', null, 'For the warranty of lamps keep the receipt.');
    const copy = passage('copy.md', null, 'The warranty of lamps is two years.');
    const { text, sources } = await answerTo('warranty of lamps', [one, two, copy]);
    assert.equal(
      text,
      'From the documents:\n\n- The warranty of lamps is two years. [1]\n- For the warranty of lamps keep the receipt. [2]',
    );
    assert.deepEqual(sources, [
      [1, one],
      [2, two],
    ]);
  });

  test('says so when passages hold only a little of what is asked', async () => {
    const { text, sources } = await answerTo('refund for a cancelled helicopter flight', [RETURNS]);
    assert.match(text, /^I found no passage that clearly answers this\./);
    assert.deepEqual(sources, [[1, RETURNS]]);
  });

  test('says plainly when it found nothing, in the language of the question', async () => {
    const nothing = {
      'What is the capital of Peru?': /^I found nothing about this in the documents/,
      'Wie heißt die Hauptstadt von Peru?': /^Dazu habe ich in den Dokumenten nichts gefunden/,
      'Quelle est la capitale du Pérou ?': /^Je n’ai rien trouvé à ce sujet/,
      '¿Cuál es la capital del Perú?': /^No encontré nada sobre esto/,
      'Как называется столица Перу?': /^В документах об этом ничего не нашлось/,
      'ما هي عاصمة بيرو؟': /^لم أجد شيئًا عن هذا/,
      '秘鲁的首都是哪里？': /^文档中没有找到相关内容/,
      'ペルーの首都はどこですか？': /^文書の中に該当する内容は見つかりませんでした/,
    };
    for (const [question, words] of Object.entries(nothing)) {
      for (const passages of [[], [RETURNS, LAMPS]]) {
        const { text, sources } = await answerTo(question, passages);
        assert.match(text, words);
        assert.deepEqual(sources, []);
      }
    }
  });

  test('answers from documents in every script', async () => {
    const found: [string, string, RegExp][] = [
      ['Wie lange gilt die Garantie?', 'Die Garantie gilt zwei Jahre.', /^Aus den Dokumenten:/],
      ['Сколько длится гарантия?', 'Гарантия длится два года.', /^Из документов:/],
      ['كم مدة الضمان؟', 'مدة الضمان سنتان.', /^من المستندات:/],
      ['保修期是多长时间？', '所有灯具的保修期为两年。', /^文档中的内容：/],
      ['保証期間はどのくらいですか？', '保証期間は二年です。', /^文書からの引用：/],
    ];
    for (const [question, sentence, opening] of found) {
      const { text } = await answerTo(question, [passage('a.txt', null, sentence)]);
      assert.match(text, opening);
      assert.ok(text.includes(sentence), text);
    }
  });

  test('takes the language of the locale for a question that does not tell', async () => {
    assert.match((await answerTo('XK-200', [], { locale: 'de-AT' })).text, /^Dazu habe ich/);
    assert.match((await answerTo('XK-200', [], { locale: 'nl' })).text, /^I found nothing/);
    assert.match((await answerTo('保証期間', [], { locale: 'ja' })).text, /^文書/);
  });

  test('asks again behind the question before for one that goes on with it', async () => {
    const asked: string[] = [];
    const search = async (query: string) => {
      asked.push(query);
      return [RETURNS];
    };
    const history = [{ role: 'user', text: 'How fast is a refund?' } as const];
    const { text } = await answerTo('And in Germany?', [], { history, search });
    assert.deepEqual(asked, ['How fast is a refund?\nAnd in Germany?']);
    assert.match(text, /five working days/);
    const failing = async () => Promise.reject(new Error('no'));
    const without = await answerTo('And in Germany?', [], { history, search: failing });
    assert.match(without.text, /^I found nothing/);
  });

  test('shows what a document says as text, whatever Markdown or marks of direction it holds', async () => {
    const hostile = passage(
      'evil.txt',
      null,
      'The warranty ![x](http://evil.example/?q) <img src=x> [link](javascript:1) &lt;b&gt; `a` **b** \u202eGATEHOUSE_PORT _c_ ends.',
    );
    const { text } = await answerTo('warranty', [hostile]);
    assert.ok(
      text.endsWith(
        'The warranty !\\[x\\](http://evil.example/?q) \\<img src=x\\> \\[link\\](javascript:1) \\&lt;b\\&gt; \\`a\\` \\*\\*b\\*\\* GATEHOUSE_PORT \\_c\\_ ends. [1]',
      ),
      text,
    );
  });

  test('cuts a sentence that is too long around what is asked about', async () => {
    const filler = 'lorem ipsum '.repeat(100);
    const long = passage('long.txt', null, `${filler}the warranty is two years ${filler}`);
    const { text } = await answerTo('warranty', [long]);
    assert.match(text, /… .*the warranty is two years.* … \[1\]$/s);
    assert.ok(text.length < 400);
  });

  test('ends with the reason of the signal, before the first part or between two', async () => {
    for (const after of [0, 1]) {
      const stop = new AbortController();
      const seen: AnswerPart[] = [];
      if (after === 0) stop.abort(new Error('stopped'));
      await assert.rejects(async () => {
        for await (const part of partsOf('refund', [RETURNS], { signal: stop.signal })) {
          seen.push(part);
          stop.abort(new Error('stopped'));
        }
      }, /^Error: stopped$/);
      assert.equal(seen.length, after);
    }
  });

  test('says nothing that no document says, whatever is asked of whatever documents', async () => {
    const words = fc.constantFrom('refund', 'Rückgabe', '保証', 'lamp', 'the', 'is', '?', ':', '.');
    const soup = fc
      .array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 30 })
      .map((parts) => parts.join(' '));
    await fc.assert(
      fc.asyncProperty(soup, fc.array(soup, { maxLength: 4 }), async (question, texts) => {
        const passages = texts.map((text, index) => passage(`${index}`, text.slice(0, 20), text));
        const { text, sources } = await answerTo(question, passages);
        assert.ok(text.length < 3000);
        assert.deepEqual(
          sources.map(([number]) => number),
          sources.map((_, index) => index + 1),
        );
        for (const [, source] of sources) assert.ok(passages.includes(source));
        const said = letters(text.slice(text.indexOf('\n')));
        const all = new Set([...letters(texts.join(' ')), ...letters('0123456789')]);
        if (sources.length > 0) for (const letter of said) assert.ok(all.has(letter), letter);
      }),
      { numRuns: 300 },
    );
  });
});

function letters(text: string): Set<string> {
  return new Set(text.match(/[\p{L}\p{N}]/gu) ?? []);
}

function passage(fileName: string, heading: string | null, text: string): SourcePassage {
  return { documentId: fileName, fileName, position: 0, heading, text };
}

type Given = Partial<Pick<Question, 'locale' | 'history' | 'search' | 'signal'>>;

function partsOf(question: string, passages: readonly SourcePassage[], given: Given = {}) {
  return createExtractiveAnswerer().answer({
    model: null,
    locale: null,
    instructions: 'Speak like a pirate.',
    facts: null,
    history: [],
    question,
    passages,
    search: async () => [],
    signal: new AbortController().signal,
    ...given,
  });
}

async function answerTo(question: string, passages: readonly SourcePassage[], given?: Given) {
  let text = '';
  const sources: [number, SourcePassage][] = [];
  for await (const part of partsOf(question, passages, given)) {
    if (part.kind === 'text') text += part.text;
    if (part.kind === 'source') sources.push([part.number, part.passage]);
  }
  return { text, sources };
}
