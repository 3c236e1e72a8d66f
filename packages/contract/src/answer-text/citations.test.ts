import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitCitations, withoutCitations } from './citations.ts';

const numbers = (text: string) =>
  splitCitations(text).flatMap((part) => (typeof part === 'string' ? [] : [part.numbers]));

test('recognizes the citation formats that models write', () => {
  assert.deepEqual(numbers('a [1] b [2][3] c [1, 2] d [1;2] 【4】 [5、6] ［7］'), [
    [1],
    [2],
    [3],
    [1, 2],
    [1, 2],
    [4],
    [5, 6],
    [7],
  ]);
});

test('expands a range of numbers, up to a limit', () => {
  assert.deepEqual(numbers('[2-4] [1–3, 7]'), [
    [2, 3, 4],
    [1, 2, 3, 7],
  ]);
  assert.ok((numbers('[1-999]')[0]?.length ?? 0) < 30);
});

test('treats other brackets as text', () => {
  assert.deepEqual(splitCitations('[a] [1a] [] [1234] (1) [1'), ['[a] [1a] [] [1234] (1) [1']);
});

test('joining the parts returns the original text', () => {
  const text = 'x [1] y [2, 3]';
  const parts = splitCitations(text).map((part) => (typeof part === 'string' ? part : part.text));
  assert.equal(parts.join(''), text);
});

test('removes citations and the space before them', () => {
  assert.equal(withoutCitations('Yes [1], and [2][3].'), 'Yes, and.');
});
