import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
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

const GERMANY = passage('de.md', 'Refunds', 'In Germany it takes three days.');
const TEXTS = { name: 'Shop', title: null, greeting: null, suggestions: [] };

describe('the extractive answerer', () => {
  test('quotes and cites the sentence that matches the question', async () => {
    const { text, sources } = await answerTo('When does a refund reach my account?', [
      LAMPS,
      RETURNS,
    ]);
    assert.equal(
      text,
      'From the documents:\n\nA refund reaches your account within five working days. [1]',
    );
    assert.deepEqual(sources, [[1, RETURNS]]);
  });

  test('shows matching table rows as a table', async () => {
    const { text, sources } = await answerTo('What is the price of the floor lamp?', [LAMPS]);
    assert.equal(
      text,
      'From the documents:\n\nlamps.csv [1]\n\n| Name | Price |\n|---|---|\n| Floor lamp | 89.00 |',
    );
    assert.deepEqual(sources, [[1, LAMPS]]);
  });

  test('shows a list with its introduction, and does not quote questions', async () => {
    const { text } = await answerTo('What do I need for a visa?', [VISA]);
    assert.match(
      text,
      /^From the documents:\n\nFor a visa you need: \[1\]\n- a passport\n- two photos/,
    );
    assert.doesNotMatch(text, /\?/);
  });

  test('quotes the sentence after a question if the document contains the question', async () => {
    const faq = passage('faq.txt', null, 'How do I reset my password?\nPress the blue key twice.');
    const { text } = await answerTo('reset password', [faq]);
    assert.match(text, /Press the blue key twice\. \[1\]/);
  });

  test('lists quotes of several documents with numbers and without duplicates', async () => {
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

  test('names every record that answers a question about several records', async () => {
    const order = (id: number, state: string) => ({
      ...passage(
        `Order ${id}`,
        null,
        `Order ${id} is ${state}.\n\n1 May 2026: status: ${state} (example.order.${state}, event ${id}-1).`,
      ),
      isRecord: true,
    });
    const orders = [order(7, 'late'), order(8, 'paid'), order(9, 'late'), order(11, 'late')];
    const { text, sources } = await answerTo('Which orders are late?', orders);
    assert.equal(
      text,
      'From the documents:\n\n- Order 7 is late. [1]\n- Order 9 is late. [2]\n- Order 11 is late. [3]',
    );
    assert.equal(sources.length, 3);
  });

  test('does not take the number in the question for the time that it asks for', async () => {
    const order = passage(
      'Order 1006',
      null,
      'Order 1006 is shipped.\n\n8 May 2026: status: shipped (example.order.shipped, event 6-3).',
    );
    const { text } = await answerTo('When was order 1006 shipped?', [{ ...order, isRecord: true }]);
    assert.match(text, /^From the documents:\n\n8 May 2026: status: shipped .* \[1\]$/);
  });

  test('does not take a German preposition for a year', async () => {
    const delivery = passage(
      'lieferung.md',
      'Lieferung',
      'Möbel werden nicht an eine Packstation geliefert.\n\nDie Lieferung dauert vier Werktage.',
    );
    const { text } = await answerTo('Wie lange dauert die Lieferung?', [delivery]);
    assert.equal(text, 'Aus den Dokumenten:\n\nDie Lieferung dauert vier Werktage. [1]');
  });

  test('compares German verbs in all forms', async () => {
    const account = passage(
      'konto.md',
      'Konto',
      'Unter Profil können Sie sich vom Rundbrief abmelden. Pro Kauf kann ein Gutschein eingelöst werden.',
    );
    for (const [question, answer] of [
      [
        'Wie melde ich mich vom Rundbrief ab?',
        'Unter Profil können Sie sich vom Rundbrief abmelden',
      ],
      ['Kann ich einen Gutschein einlösen?', 'Pro Kauf kann ein Gutschein eingelöst werden'],
    ] as const) {
      const { text } = await answerTo(question, [account]);
      assert.equal(text, `Aus den Dokumenten:\n\n${answer}. [1]`);
    }
  });

  test('finds the synonyms of an expression of several words', async () => {
    const title = 'Rückgabe und Erstattung';
    const money = passage(
      'a.md',
      `${title} › Erstattung`,
      'Die Erstattung erfolgt innerhalb von fünf Werktagen.',
    );
    const goods = passage('b.md', title, 'Die Ware geben Sie 30 Tage nach Erhalt zurück.');
    const { text } = await answerTo('Wann bekomme ich mein Geld zurück?', [goods, money]);
    assert.match(text, /\n\nDie Erstattung erfolgt innerhalb von fünf Werktagen\. \[1\]$/);
  });

  test('does not search a German sentence for the word that asks for a number', async () => {
    const rules = passage('regeln.md', null, 'Die Tagespauschale beträgt 28 Euro.');
    const { text } = await answerTo('Wie hoch ist die Tagespauschale?', [rules]);
    assert.match(text, /\n\nDie Tagespauschale beträgt 28 Euro\. \[1\]$/);
  });

  test('quotes nothing if a sentence covers only a small part of the question', async () => {
    for (const question of [
      'refund for a cancelled helicopter flight',
      'Do you have vegan shoes?',
      'How much does the floor lamp weigh in kilograms?',
    ]) {
      const { text, sources } = await answerTo(question, [RETURNS, LAMPS]);
      assert.match(text, /^I found nothing about this in the documents\./);
      assert.deepEqual(sources, []);
    }
  });

  test('answers how to do something with the steps below the heading', async () => {
    const reset = passage(
      'help.html',
      'Account › Reset your password',
      'You need your password reset code.\n\n1. Open the page.\n2. Press Menu.\n3. Choose a password.',
    );
    const steps = '- Open the page.\n- Press Menu.\n- Choose a password.';
    assert.equal(
      (await answerTo('How do I reset my password?', [reset])).text,
      `From the documents:\n\nAccount › Reset your password [1]\n${steps}`,
    );
    const network = passage(
      'drucker.md',
      'WLAN einrichten',
      'Halten Sie die WLAN-Taste gedrückt. Die Lampe blinkt blau. Folgen Sie der App.',
    );
    const { text } = await answerTo('Wie richte ich das WLAN ein?', [network]);
    assert.equal(text, `Aus den Dokumenten:\n\n${network.text} [1]`);
  });

  test('quotes a list completely if only its heading answers the question', async () => {
    const days = ['Monday: 10 to 18', 'Tuesday: 10 to 19', 'Friday: 9 to 17', 'Saturday: 9 to 12'];
    const hours = passage('a.md', 'Opening hours', days.map((day) => `- ${day}`).join('\n'));
    const { text } = await answerTo('What are your opening hours?', [hours]);
    const items = days.map((day) => `\n- ${day}`).join('');
    assert.equal(text, `From the documents:\n\nOpening hours [1]${items}`);
    const items20 = Array.from({ length: 20 }, (_, at) => `- from room ${at} to the next`);
    const long = passage('b.md', 'Cleaning plan', items20.join('\n'));
    assert.match((await answerTo('cleaning plan', [long])).text, /\n- from room 11 .*\n- …$/);
  });

  test('quotes the paragraph or the table after an introduction', async () => {
    const sick = passage('a.docx', 'Sick leave', 'If you are sick, do this:\n\nCall your manager.');
    assert.match(
      (await answerTo('What if I am sick?', [sick])).text,
      /\n\nIf you are sick, do this: Call your manager\. \[1\]$/,
    );
    const types = passage(
      'b.html',
      'Files',
      'These file types are supported:\n\nType: PDF | Limit: 50 MB\nType: PNG | Limit: 10 MB',
    );
    assert.match(
      (await answerTo('Which file types are supported?', [types])).text,
      /\n\nThese file types are supported: \[1\]\n\n\| Type \| Limit \|\n\|---\|---\|\n\| PDF .*\n\| PNG .*$/,
    );
  });

  test('quotes the sentence with the identifier or the number in the question', async () => {
    const display = passage('a.md', 'Start', 'The display lights up and shows the temperature.');
    const errors = passage(
      'b.md',
      'Errors',
      'Code: E05 | Help: Refill.\nCode: E23 | Help: Restart.',
    );
    const { text } = await answerTo('What if the display shows E23?', [display, errors]);
    assert.match(text, /\n\| E23 \| Restart\. \|$/);
    assert.doesNotMatch(text, /E05|lights/);
    const api = passage('c.md', 'API', '- `404`: no such widget.\n- `409`: the name is taken.');
    assert.match((await answerTo('What does 409 mean?', [api])).text, /409.*taken\. \[1\]$/);
    const stock = 'Pump: Aurora 8 | Price: 64 | Stock: 12\nPump: Aurora 12 | Price: 79 | Stock: 3';
    const { text: row } = await answerTo('How much is the Aurora 12?', [
      passage('d.csv', null, stock),
    ]);
    assert.match(row, /\n\|---\|---\|---\|\n\| Aurora 12 \| 79 \| 3 \|$/);
  });

  test('does not join lines with labels, but quotes all sentences of an item', async () => {
    const minutes = passage(
      'minutes.txt',
      null,
      'Present: Anna Lindqvist (chair), Omar Haddad, Priya Nair\nAbsent: Jean-Luc Moreau',
    );
    assert.match((await answerTo('Who was absent?', [minutes])).text, /\n\nAbsent: .* \[1\]$/);
    const codes = passage(
      'codes.md',
      null,
      '- F01: No paper.\n- F07: Tank empty. Replace the tank.',
    );
    const { text } = await answerTo('What does F07 mean?', [codes]);
    assert.match(text, /\n\nF07: Tank empty\. Replace the tank\. \[1\]$/);
  });

  test('answers how far or how heavy something is', async () => {
    const hotel = passage('a.txt', null, 'The hotel is 1.2 km from the station.');
    assert.match((await answerTo('How far is the station?', [hotel])).text, /1\.2 km/);
    const data = passage(
      'b.md',
      'Technical data',
      'Output | Pump 7: 8 kW\nWeight | Pump 7: 118 kg',
    );
    const { text } = await answerTo('How heavy is the pump 7?', [data]);
    assert.equal(text, 'From the documents:\n\n- Weight, Pump 7: 118 kg [1]');
  });

  test('offers the suggestions of the bot if nothing was found', async () => {
    const suggestions = ['How do I *return* something?', ' ', 'Do you have vegan shoes?'];
    const texts = { ...TEXTS, suggestions };
    const { text } = await answerTo('Do you have vegan shoes?', [LAMPS], { texts });
    assert.match(text, /\n\nYou can ask, for example:\n\n- How do I \\\*return\\\* something\?$/);
  });

  test('answers small talk from the texts of the bot and quotes nothing', async () => {
    const history = [{ role: 'user', text: 'When does a refund reach my account?' } as const];
    const texts = {
      name: 'Bot 7',
      title: 'Shop help',
      greeting: 'Welcome! Ask me about our returns.',
      suggestions: ['How long do returns take?'],
    };
    const replies: [string, RegExp][] = [
      [
        'hello',
        /^Welcome! Ask me about our returns\.\n\nYou can ask.*\n\n- How long do returns take\?$/,
      ],
      ['thanks!', /^You’re welcome!$/],
      ['bye', /^Goodbye!$/],
      ['ok, great', /^Is there anything else/],
      ['I want to talk to a human', /“Shop help”.* I cannot connect you with a person/],
      ['Wer bist du?', /^Ich bin der automatische Assistent „Shop help“\./],
      ['Bonjour !', /^Bonjour ! Je suis l’assistant automatique « Shop help »\./],
    ];
    for (const [message, reply] of replies) {
      const { text, sources } = await answerTo(message, [RETURNS], { texts, history });
      assert.match(text, reply);
      assert.deepEqual(sources, []);
    }
  });

  test('says whom to contact, or that a button connects with a person', async () => {
    const contact = 'Write to *help*.';
    const reply = async (message: string, texts: object) =>
      (await answerTo(message, [RETURNS], { texts: { ...TEXTS, ...texts } })).text;
    for (const message of ['I want to talk to a human', 'Who painted the ceiling?']) {
      assert.ok((await reply(message, { contact })).includes('Write to \\*help\\*.'));
      const handedOver = await reply(message, { contact, hasHandoff: true });
      assert.ok(handedOver.includes('The button below the chat connects you with a person.'));
      assert.ok(!handedOver.includes('help'));
    }
    assert.match(
      await reply('Ich möchte mit einem Menschen sprechen', { contact }),
      /Assistent.*Write to/,
    );
  });

  test('reports that nothing was found, but not for small talk', async () => {
    const isUnanswered = async (question: string) =>
      (await answerTo(question, [RETURNS])).isUnanswered;
    assert.equal(await isUnanswered('Who painted the ceiling?'), true);
    assert.equal(await isUnanswered('When does a refund reach my account?'), false);
    assert.equal(await isUnanswered('Thank you!'), false);
  });

  test('answers a question that starts with small talk', async () => {
    const { text } = await answerTo('Hello! Thanks, when does a refund reach my account?', [
      RETURNS,
    ]);
    assert.match(text, /within five working days\. \[1\]$/);
  });

  test('says in the language of the question that nothing was found', async () => {
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
    for (const [question, phrase] of Object.entries(nothing)) {
      for (const passages of [[], [RETURNS, LAMPS]]) {
        const { text, sources } = await answerTo(question, passages);
        assert.match(text, phrase);
        assert.deepEqual(sources, []);
      }
    }
  });

  test('answers from documents in several scripts', async () => {
    const found: [string, string, RegExp][] = [
      ['Wie lange gilt die Garantie?', 'Die Garantie gilt zwei Jahre.', /^Aus den Dokumenten:/],
      ['Сколько длится гарантия?', 'Гарантия длится два года.', /^Из документов:/],
      ['كم مدة الضمان؟', 'مدة الضمان سنتان.', /^من المستندات:/],
      ['保修期是多长时间？', '所有灯具的保修期为两年。', /^文档中的内容：/],
      ['保証期間はどのくらいですか？', '保証期間は二年です。', /^文書からの引用：/],
      ['보증 기간은?', '보증 기간은 2년입니다.', /^From the documents:/],
      ['การรับประกัน', 'การรับประกันมีอายุสองปี ทุกชิ้น.', /^From the documents:/],
    ];
    for (const [question, sentence, opening] of found) {
      const { text } = await answerTo(question, [passage('a.txt', null, sentence)]);
      assert.match(text, opening);
      assert.ok(text.includes(sentence), text);
    }
  });

  test('answers in the language of the locale if the language of the question is unknown', async () => {
    assert.match((await answerTo('XK-200', [], { locale: 'de-AT' })).text, /^Dazu habe ich/);
    assert.match((await answerTo('XK-200', [], { locale: 'nl' })).text, /^I found nothing/);
    assert.match((await answerTo('保証期間', [], { locale: 'ja' })).text, /^文書/);
  });

  test('combines a follow-up question with the previous question', async () => {
    const asked: string[] = [];
    const search = async (query: string) => {
      asked.push(query);
      return [RETURNS, GERMANY];
    };
    const history = [{ role: 'user', text: 'How fast is a refund?' } as const];
    const { text } = await answerTo('And in Germany?', [], { history, search });
    assert.match(asked[0] ?? '', /germany.*refund/);
    assert.match(text, /In Germany it takes three days\. \[1\]$/);
    const failing = async () => Promise.reject(new Error('no'));
    const without = await answerTo('And in Germany?', [], { history, search: failing });
    assert.match(without.text, /^I found nothing/);
  });

  test('does not return the previous answer if the follow-up question has another subject', async () => {
    const history = [{ role: 'user', text: 'What is the price of the floor lamp?' } as const];
    const search = async () => [LAMPS];
    for (const question of ['Do you have vegan shoes?', 'And the ceiling lamp?', 'Vegan shoes?']) {
      const { text, sources } = await answerTo(question, [LAMPS], { history, search });
      assert.match(text, /^I found nothing/);
      assert.deepEqual(sources, []);
    }
    const { text } = await answerTo('And the desk lamp?', [LAMPS], { history, search });
    assert.match(text, /\n\| Desk lamp \| 24\.95 \|$/);
  });

  test('escapes Markdown and removes bidirectional controls', async () => {
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

  test('reads only the start of a very long question', async () => {
    const returns = passage('a.txt', null, '14天内可以退货。');
    for (const filler of ['退货', 'refund, ', '? ', 'how much does a '])
      await answerTo(filler.repeat(10_000), [RETURNS, returns]);
    const question = `When does a refund reach my account? ${' '.repeat(2000)} vegan shoes`;
    assert.match((await answerTo(question, [RETURNS])).text, /five working days/);
  });

  test('shortens a long sentence around the match', async () => {
    const filler = 'lorem ipsum '.repeat(100);
    const long = passage('long.txt', null, `${filler}the warranty is two years ${filler}`);
    const { text } = await answerTo('warranty', [long]);
    assert.match(text, /… .*the warranty is two years.* … \[1\]$/s);
    assert.ok(text.length < 400);
  });

  test('throws the reason of the abort signal, before the first part or between parts', async () => {
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

  test('quotes only text of the documents, for any question and any documents', async () => {
    const words = fc.constantFrom('refund', 'Rückgabe', '保証', 'lamp', 'the', 'is', '?', ':', '.');
    const soup = fc
      .array(fc.oneof(words, fc.string({ unit: anyCharacter, maxLength: 20 })), { maxLength: 30 })
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
        const used = letters(text.slice(text.indexOf('\n')));
        const all = new Set([...letters(texts.join(' ')), ...letters('0123456789')]);
        if (sources.length > 0) for (const letter of used) assert.ok(all.has(letter), letter);
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

type Options = Partial<Pick<Question, 'locale' | 'texts' | 'history' | 'search' | 'signal'>>;

function partsOf(question: string, passages: readonly SourcePassage[], options: Options = {}) {
  return createExtractiveAnswerer().answer({
    model: null,
    locale: null,
    texts: TEXTS,
    instructions: 'Speak like a pirate.',
    facts: null,
    history: [],
    question,
    passages,
    search: async () => [],
    isBudgetUsed: false,
    showsReasoning: false,
    tools: [],
    signal: new AbortController().signal,
    ...options,
  });
}

async function answerTo(question: string, passages: readonly SourcePassage[], options?: Options) {
  let text = '';
  let isUnanswered = false;
  const sources: [number, SourcePassage][] = [];
  for await (const part of partsOf(question, passages, options)) {
    if (part.kind === 'text') text += part.text;
    if (part.kind === 'source') sources.push([part.number, part.passage]);
    if (part.kind === 'unanswered') isUnanswered = true;
  }
  return { text, sources, isUnanswered };
}
