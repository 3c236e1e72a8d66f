import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from './arbitraries.ts';
import { FTS5_TOKENIZE, toFts5 } from './fts5.ts';
import { isEmpty, readQuery } from './query.ts';
import { indexedText, tokenise } from './tokenise.ts';

function tableOf(...texts: string[]) {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    create virtual table passage using fts5 (title, body, tokenize = "${FTS5_TOKENIZE}");
    create virtual table term using fts5vocab (passage, instance);
  `);
  const insert = database.prepare('insert into passage (title, body) values (?, ?)');
  for (const text of texts) insert.run('', indexedText(text));
  const match = database.prepare('select rowid from passage where passage match ? order by rowid');
  const best = database.prepare('select rowid from passage where passage match ? order by rank');
  const vocabulary = database.prepare('select term from term where doc = ? order by offset');
  const clear = database.prepare('delete from passage');
  return {
    find: (expression: string) =>
      match.all(expression).map(({ rowid }) => texts[Number(rowid) - 1]),
    best: (expression: string) => texts[Number(best.get(expression)?.['rowid']) - 1],
    terms: (row: number) => vocabulary.all(row).map(({ term }) => term),
    insert: (text: string) => Number(insert.run('', text).lastInsertRowid),
    clear: () => clear.run(),
    [Symbol.dispose]: () => database.close(),
  };
}

function find(query: string, ...texts: string[]): (string | undefined)[] {
  using table = tableOf(...texts);
  return table.find(toFts5(readQuery(query)));
}

test('the engine keeps every term as it was made, and none beside', () => {
  using table = tableOf();
  fc.assert(
    fc.property(anyText, (text) => {
      table.clear();
      const row = table.insert(indexedText(text));
      assert.deepEqual(
        table.terms(row),
        tokenise(text).map(({ term }) => term),
      );
    }),
    { numRuns: 1000 },
  );
});

test('no query is an error, and one that is not empty finds the text that it was taken from', () => {
  using table = tableOf();
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, unfinished) => {
      table.clear();
      table.insert(indexedText(text));
      const query = readQuery(text.replaceAll(/["“”„«»]/g, ' '), { unfinished });
      assert.equal(table.find(toFts5(query)).length, isEmpty(query) ? 0 : 1);
      table.find(toFts5(readQuery(text, { unfinished })));
      table.find(toFts5(readQuery(text), { leaveOut: new Set([query.terms[0]?.term ?? '']) }));
    }),
    { numRuns: 1500 },
  );
});

test('the syntax of the engine is text', () => {
  const texts = ['this and that', 'near here', 'title page', 'nothing of it'];
  assert.deepEqual(find('AND ', ...texts), ['this and that']);
  assert.deepEqual(find('NEAR( ', ...texts), ['near here']);
  assert.deepEqual(find('title:page -page', ...texts), ['title page']);
  assert.deepEqual(find('"unbalanced nothing ', ...texts), ['nothing of it']);
  assert.deepEqual(find('* ^ "" :', ...texts), []);
});

for (const [language, query, found, not] of [
  ['German', 'grosse strasse ', 'Die Größe der Straße', 'Der Groschen'],
  ['German', 'Überprüfung ', 'Zur UBERPRUFUNG der Zähler', 'Zur Prüfung'],
  ['Russian', 'елка ', 'Ёлка стоит в зале', 'Ель растёт в лесу'],
  ['Russian', 'йод ', 'Йод и бинт', 'Иоды'],
  ['Arabic', 'مكتبة ', 'زُرْتُ المَكْتَبَةَ أمس', 'زرت المتحف أمس'],
  ['Arabic', 'أحمد ', 'كتب احمد رسالة', 'كتب محمود رسالة'],
  ['Chinese', '天气', '今天北京的天气很好', '今天北京的空气很好'],
  ['Chinese', '京', '今天北京的天气很好', '今天上海的天气很好'],
  ['Japanese', 'ガイド', '旅行のｶﾞｲﾄﾞを読む', '旅行の本を読む'],
  ['Japanese', '東京', '私は東京都に住む', '私は京都に住む'],
  ['Korean', '학교', '학교에서 공부합니다', '집에서 공부합니다'],
  ['Korean', '서울', '나는 서울에 산다', '나는 부산에 산다'],
  ['Thai', 'ภาษา', 'ฉันเรียนภาษาไทย', 'ฉันกินข้าว'],
  ['Greek', 'οδος ', 'Η ΟΔΌΣ είναι κλειστή', 'Η πόλη είναι κλειστή'],
  ['Hebrew', 'שלום ', 'שָׁלוֹם עולם', 'תודה רבה'],
  ['Hindi', 'हिन्दी ', 'मैं हिन्दी बोलता हूँ', 'मैं तमिल बोलता हूँ'],
  ['English', 'colour ', 'The colour of money', 'The color of money'],
  ['English', 'email ', 'Send an e-mail', 'Send a letter'],
  ['English', 'c++ ', 'Written in C++', 'Written in ++'],
  ['English', 'AB1234/56 ', 'Spare part AB-1234/56 is out', 'Spare part XY-9'],
] as const) {
  test(`${language}: “${query}” finds “${found}” and not “${not}”`, () => {
    assert.deepEqual(find(query, found, not), [found]);
  });
}

test('a word that is still being typed finds what begins like it', () => {
  const texts = ['category theory', 'a cat', 'concatenate'];
  assert.deepEqual(find('cat', ...texts), ['category theory', 'a cat']);
  assert.deepEqual(find('cat ', ...texts), ['a cat']);
  assert.deepEqual(find('e-mai', 'an e-mail', 'an email', 'mainly'), [
    'an e-mail',
    'an email',
    'mainly',
  ]);
});

test('a phrase is required, and words beside it only count', () => {
  const texts = ['the annual report of Berlin', 'a report on annual growth', 'Berlin'];
  assert.deepEqual(find('"annual report" Berlin', ...texts), ['the annual report of Berlin']);
  assert.deepEqual(find('„annual report“ Paris', ...texts), ['the annual report of Berlin']);
  assert.deepEqual(find('"annual report" "growth"', ...texts), []);
});

test('phrases of scripts without spaces are found inside a run', () => {
  assert.deepEqual(find('"東京都"', '私は東京都に住む', '東京と京都'), ['私は東京都に住む']);
  assert.deepEqual(find('"東京 tower"', '東京 tower', '東京 の tower'), ['東京 tower']);
  assert.deepEqual(find('"tower 東"', 'tower 東京', 'tower 京東'), ['tower 東京']);
});

test('common terms are left out where another term or a phrase remains', () => {
  const leaveOut = new Set(['the', 'of']);
  assert.equal(toFts5(readQuery('the use of gas '), { leaveOut }), '"use" OR "gas"');
  assert.equal(toFts5(readQuery('of the '), { leaveOut }), '"of" OR "the"');
  assert.equal(toFts5(readQuery('"of the" of '), { leaveOut }), '"of the"');
});

test('a beginning that would find a common term is left out where something else remains', () => {
  const leaveOut = new Set(['other']);
  assert.equal(toFts5(readQuery('others gas '), { leaveOut }), '"others" OR "gas"');
  assert.equal(toFts5(readQuery('others '), { leaveOut }), '"others" OR "other"*');
});

test('other forms of a word are found, behind the form itself', () => {
  assert.deepEqual(find('invoices ', 'an invoice', 'an invitation'), ['an invoice']);
  assert.deepEqual(find('погрузчики ', 'на погрузчике', 'на лодке'), ['на погрузчике']);
  assert.deepEqual(find('Messungen ', 'die Messung', 'das Messer'), ['die Messung']);
  using table = tableOf('all tests here', 'the test itself', 'of water', 'of gas', 'of oil');
  assert.equal(table.best(toFts5(readQuery('test '))), 'the test itself');
});
