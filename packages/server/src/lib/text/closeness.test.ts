import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeness } from './closeness.ts';
import { readQuery } from './query.ts';

function of(query: string, ...texts: string[]): number {
  return closeness(texts, readQuery(query).terms);
}

test('words that are nearer to each other are closer', () => {
  const adjacent = of('annual report ', 'the annual report of the bank');
  const near = of('annual report ', 'a report that is annual');
  const far = of('annual report ', `annual ${'other '.repeat(20)} report`);
  assert.equal(adjacent, 0.5);
  assert.ok(adjacent > near && near > far);
  assert.equal(far, 0);
});

test('more pairs and more occurrences are closer', () => {
  const once = of('annual report bank ', 'annual report');
  assert.ok(of('annual report bank ', 'annual report annual report') > once);
  assert.ok(of('annual report bank ', 'annual report bank') > once);
});

test('words in different texts, repetitions and short words are not close', () => {
  assert.equal(of('annual report ', 'annual', 'report'), 0);
  assert.equal(of('annual ', 'annual annual'), 0);
  assert.equal(of('of the ', 'of the bank'), 0);
  assert.equal(of('e-mail ', 'e-mail'), 0);
});

test('other forms of words and letters of scripts without spaces are close', () => {
  assert.equal(of('annual reports ', 'annual report'), 0.5);
  assert.ok(of('北京天气', '今天北京天气很好') > of('北京天气', '天气很好，今天在北京'));
});
