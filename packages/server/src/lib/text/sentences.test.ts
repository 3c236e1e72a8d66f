import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { sentencesOf } from './sentences.ts';

describe('sentencesOf', () => {
  test('splits sentences in many scripts, with closing quotes', () => {
    const examples = {
      'One. Two! „Drei?“ Four': ['One. ', 'Two! ', '„Drei?“ ', 'Four'],
      'Это одно. Это второе.': ['Это одно. ', 'Это второе.'],
      '今日は晴れです。明日は「雨。」です。': ['今日は晴れです。', '明日は「雨。」', 'です。'],
      'هل هذا سؤال؟ نعم.': ['هل هذا سؤال؟ ', 'نعم.'],
    };
    for (const [text, sentences] of Object.entries(examples))
      assert.deepEqual(sentencesOf(text), sentences);
  });

  test('does not split after initials, ordinals and decimal numbers', () => {
    for (const text of ['Das gilt z. B. am 3. Mai für J. Doe.', 'It costs 3.50 or v1.2 at a.b.c'])
      assert.deepEqual(sentencesOf(text), [text]);
  });

  test('handles 200,000 sentences and 200,000 dots', () => {
    assert.equal(sentencesOf('这是。'.repeat(200_000)).length, 200_000);
    assert.equal(sentencesOf('.'.repeat(200_000)).length, 1);
  });

  test('the sentences of any text concatenate to the text', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 500 }),
      fc.lorem({ maxCount: 100 }),
    );
    fc.assert(fc.property(text, (given) => assert.equal(sentencesOf(given).join(''), given)));
  });
});
