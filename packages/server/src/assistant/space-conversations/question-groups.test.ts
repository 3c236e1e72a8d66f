import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../tests/support/processor-ms.ts';
import { QuestionGroups } from './question-groups.rules.ts';

function grouped(texts: readonly string[]) {
  const groups = new QuestionGroups();
  for (const [index, text] of texts.entries())
    groups.add({
      conversationId: `c${index}`,
      questionId: `q${index}`,
      answerId: `a${index}`,
      text,
      answeredAt: 1000 - index,
    });
  return groups.largest();
}
const counts = (texts: readonly string[]) =>
  grouped(texts).map(({ question, count }) => [question, count]);

test('forms of the same words are similar, and the newest question represents the group', () => {
  assert.deepEqual(
    counts([
      'Where is the invoice?',
      'Do you ship parcels to Norway?',
      'do you SHIP a parcel to norway',
      'Shipping parcels to Norway?',
      'Does Norway have a king?',
    ]),
    [
      ['Do you ship parcels to Norway?', 3],
      ['Where is the invoice?', 1],
      ['Does Norway have a king?', 1],
    ],
  );
});

test('questions are similar if half of all their words are common, and not if fewer are', () => {
  assert.equal(counts(['lamp table chair', 'lamp table sofa']).length, 1);
  assert.equal(counts(['lamp table', 'lamp sofa']).length, 2);
});

test('a question joins the most similar group, and among equals the group that started first', () => {
  const most = grouped([
    'lamp table chair sofa',
    'lamp table desk shelf',
    'lamp table chair desk sofa',
  ]);
  assert.deepEqual(
    most.map(({ count }) => count),
    [2, 1],
  );
  assert.equal(most[0]?.question, 'lamp table chair sofa');
  const equal = grouped(['lamp table red green', 'lamp table blue white', 'lamp table']);
  assert.deepEqual(
    equal.map(({ question, count }) => [question, count]),
    [
      ['lamp table red green', 2],
      ['lamp table blue white', 1],
    ],
  );
});

test('questions in other scripts and questions without words are grouped too', () => {
  assert.deepEqual(
    counts([
      '配送到挪威吗？',
      '你们配送到挪威吗',
      '???',
      '???',
      'Why?',
      'Сколько стоит доставка?',
    ]).map(([, count]) => count),
    [2, 2, 1, 1],
  );
});

test('a group lists at most its newest 20 messages', () => {
  const [group] = grouped(Array.from({ length: 25 }, () => 'Do you ship to Norway?'));
  assert.deepEqual(
    [group?.count, group?.messages.length, group?.messages[0]?.answerId],
    [25, 20, 'a0'],
  );
});

test('2,000 different questions with common words are grouped with two seconds of processor time', () => {
  const words = Array.from(
    { length: 64 },
    (_, index) => `word${String.fromCharCode(97 + (index % 26))}${index}`,
  );
  const texts = Array.from({ length: 2000 }, (_, index) =>
    words.filter((_word, at) => (index * 2_654_435_761 + at * 40_503) % 7 < 3).join(' '),
  );
  const start = processorMs();
  grouped(texts);
  assert.ok(processorMs() - start < 2000);
});
