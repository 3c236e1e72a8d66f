import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { anyText } from './arbitraries.ts';
import { highlight } from './highlight.ts';
import { readQuery } from './query.ts';
import { type Range, ranges } from './ranges.ts';
import { tokenise } from './tokenise.ts';

function found(text: string, query: string): string[] {
  return ranges(text, readQuery(query)).map(([start, end]) => text.slice(start, end));
}

test('highlights the original text if a match was found in its folded form', () => {
  assert.deepEqual(found('Die Größe der Straße', 'strasse grosse'), ['Größe', 'Straße']);
  assert.deepEqual(found('Send an e-mail or email', 'email'), ['e-mail', 'email']);
  assert.deepEqual(found('زُرْتُ المَكْتَبَةَ أمس', 'مكتبة'), ['المَكْتَبَةَ']);
  assert.deepEqual(found('Ёлка и ёлки', 'елка '), ['Ёлка']);
  assert.deepEqual(found('학교에서 공부', '학교'), ['학교']);
  assert.deepEqual(found('ฉันเรียนภาษาไทย', 'ภาษา'), ['ภาษา']);
});

test('merges the ranges of overlapping pairs', () => {
  assert.deepEqual(found('私は東京都に住む', '東京都'), ['東京都']);
});

test('highlights only the matching letter of a pair', () => {
  assert.deepEqual(found('東京の東', '東'), ['東', '東']);
  assert.deepEqual(found('北京の東', '京'), ['京']);
});

test('an incomplete last word highlights whole matching words', () => {
  assert.deepEqual(found('Category of cats, concatenated', 'cat'), ['Category', 'cats']);
});

test('highlights a phrase only where its words are adjacent', () => {
  const text = 'A report on the annual report, annually';
  assert.deepEqual(found(text, '"annual report"'), ['annual report']);
  assert.deepEqual(found('東京都と京都', '"京都"'), ['京都', '京都']);
});

test('the snippet is the part of the text with the most distinct terms', () => {
  const filler = 'nothing to see here and so on '.repeat(20);
  const text = `red red red red ${filler} red wine ${filler} wine`;
  const { snippet, ranges: marks } = highlight(text, readQuery('red wine '));
  assert.ok(snippet.includes('red wine'));
  assert.ok(snippet.length <= 240 && snippet.length > 180);
  assert.deepEqual(
    marks.map(([start, end]) => snippet.slice(start, end)),
    ['red', 'wine'],
  );
});

test('a snippet starts and ends between words', () => {
  const text = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.repeat(20);
  const words = new Set(text.split(' '));
  for (const query of ['epsilon ', 'kappa ', 'absent ']) {
    for (let length = 40; length < 90; length++) {
      const { snippet } = highlight(text, readQuery(query), length);
      assert.ok(
        snippet.split(' ').every((word) => words.has(word)),
        snippet,
      );
    }
  }
});

test('the snippet of a short text is the whole text', () => {
  const { snippet, start } = highlight('  A short text.\n', readQuery('absent'));
  assert.deepEqual({ snippet, start }, { snippet: 'A short text.', start: 2 });
});

test('text without spaces is cut between characters near the match', () => {
  const text = `${'中文字'.repeat(200)}天气${'中文字'.repeat(200)}`;
  const { snippet, ranges: marks } = highlight(text, readQuery('天气'), 100);
  assert.ok(snippet.length > 90 && snippet.length <= 100);
  assert.deepEqual(
    marks.map(([start, end]) => snippet.slice(start, end)),
    ['天气'],
  );
});

/** Asserts that ranges are ordered, not empty, not adjacent, and inside the text. */
function assertOrderly(found: readonly Range[], length: number): void {
  let before = -1;
  for (const [start, end] of found) {
    assert.ok(start > before && end > start && end <= length);
    before = end;
  }
}

test('ranges are ordered, separate, inside the text, and bounded by matching tokens', () => {
  fc.assert(
    fc.property(anyText, anyText, (text, other) => {
      const query = readQuery(`${other.slice(0, 20)} ${text.slice(0, 30)}`);
      const marks = ranges(text, query);
      assertOrderly(marks, text.length);
      const sought = [
        ...query.terms.flatMap(({ term, prefix }) => [term, prefix ?? term]),
        ...query.phrases.flatMap(({ terms }) => terms),
      ];
      const tokens = tokenise(text).filter(({ term }) =>
        sought.some((one) => term.startsWith(one)),
      );
      for (const [start, end] of marks) {
        assert.ok(tokens.some((token) => token.start === start));
        const inside = tokens.filter((token) => token.start >= start && token.start < end);
        assert.ok(Math.max(...inside.map((token) => token.end)) >= end);
      }
    }),
    { numRuns: roundsOf(400, 2000) },
  );
});

test('a snippet is a part of the text within the maximum length and does not split characters', () => {
  const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
  fc.assert(
    fc.property(anyText, fc.nat(40), fc.integer({ min: 1, max: 60 }), (text, at, length) => {
      const query = readQuery(text.slice(at, at + 6));
      const { snippet, start, ranges: marks } = highlight(text, query, length);
      assert.equal(text.slice(start, start + snippet.length), snippet);
      assert.ok(snippet.length <= length);
      assertOrderly(marks, snippet.length);
      if (snippet === '') return;
      const bounds = new Set([...segmenter.segment(text)].map(({ index }) => index)).add(
        text.length,
      );
      assert.ok(bounds.has(start) && bounds.has(start + snippet.length));
      assert.doesNotMatch(snippet, /^\s|\s$/);
    }),
    { numRuns: roundsOf(400, 2000) },
  );
});
