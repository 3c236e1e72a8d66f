import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { anyText } from '../../../lib/text/arbitraries.ts';
import { containsPhrases, isEmpty, type Query, readQuery } from '../../../lib/text/index.ts';
import { encodeTermVectors, TermIndex } from '../terms/index.ts';
import { groupsOf, passagesOf, rank } from './index.ts';

/** Returns the texts that a query finds, best first. */
function findAll(query: Query, texts: readonly string[]): string[] {
  const index = new TermIndex();
  const chunk = encodeTermVectors(texts.map((body) => ({ title: '', heading: '', body })));
  index.add(1, [chunk]);
  return rank(index, passagesOf(index, [1]), groupsOf(index, query), texts.length)
    .map(({ ordinal }) => texts[ordinal] as string)
    .filter((text) => containsPhrases([text], query.phrases));
}

function find(query: string, ...texts: string[]): string[] {
  const found = findAll(readQuery(query), texts);
  return texts.filter((text) => found.includes(text));
}

test('a query finds its own text', () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, unfinished) => {
      const query = readQuery(text.replaceAll(/["“”„«»]/g, ' '), { unfinished });
      assert.equal(findAll(query, [text]).length, isEmpty(query) ? 0 : 1);
      findAll(readQuery(text, { unfinished }), [text]);
    }),
    { numRuns: roundsOf(100, 500) },
  );
});

test('operators of other search engines are treated as text', () => {
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

test('an incomplete last word matches as a prefix', () => {
  const texts = ['category theory', 'a cat', 'concatenate'];
  assert.deepEqual(find('cat', ...texts), ['category theory', 'a cat']);
  assert.deepEqual(find('cat ', ...texts), ['a cat']);
  assert.deepEqual(find('e-mai', 'an e-mail', 'an email', 'mainly'), [
    'an e-mail',
    'an email',
    'mainly',
  ]);
});

test('phrases are required, and other words only improve the rank', () => {
  const texts = ['the annual report of Berlin', 'a report on annual growth', 'Berlin'];
  assert.deepEqual(find('"annual report" Berlin', ...texts), ['the annual report of Berlin']);
  assert.deepEqual(find('„annual report“ Paris', ...texts), ['the annual report of Berlin']);
  assert.deepEqual(find('"annual report" "growth"', ...texts), []);
});

test('a phrase matches inside text without spaces', () => {
  assert.deepEqual(find('"東京都"', '私は東京都に住む', '東京と京都'), ['私は東京都に住む']);
  assert.deepEqual(find('"東京 tower"', '東京 tower', '東京 の tower'), ['東京 tower']);
  assert.deepEqual(find('"tower 東"', 'tower 東京', 'tower 京東'), ['tower 東京']);
});

test('a query finds other forms of a word and ranks the exact form first', () => {
  assert.deepEqual(find('invoices ', 'an invoice', 'an invitation'), ['an invoice']);
  assert.deepEqual(find('погрузчики ', 'на погрузчике', 'на лодке'), ['на погрузчике']);
  assert.deepEqual(find('Messungen ', 'die Messung', 'das Messer'), ['die Messung']);
  const texts = ['all tests here', 'the test itself', 'of water', 'of gas', 'of oil'];
  assert.equal(findAll(readQuery('test '), texts)[0], 'the test itself');
});
