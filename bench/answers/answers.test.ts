import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ask } from './ask.ts';
import { type Half, halfOf, type JudgedQuestion, readQuestions } from './collection.ts';
import { type Judgement, judge, measure } from './judge.ts';

describe('the answers without a model', () => {
  let judgements: readonly Judgement[] = [];

  before(async () => {
    const questions = readQuestions();
    const answers = await ask(questions);
    judgements = questions.map((question, at) =>
      judge(question, answers[at] ?? { text: '', cited: [] }),
    );
  });

  const about = (select: (question: JudgedQuestion) => boolean) =>
    judgements.filter(({ question }) => select(question));
  const assertRight = (some: readonly Judgement[]) => {
    for (const { question, answer, isRight } of some)
      assert.ok(isRight, `${question.id}: ${question.question} – ${answer.text}`);
  };

  test('contain the right sentence for twelve obvious questions about the examples', () => {
    const obvious = about(({ kind }) => kind === 'obvious');
    assert.equal(obvious.length, 12);
    assertRight(obvious);
  });

  test('quote nothing for another subject after a question that was answered', () => {
    assertRight(about(({ question }) => question === 'Do you have vegan shoes?'));
  });

  test('quote the rules for staff to a colleague, but not to a customer', () => {
    const asked = about(({ question }) => question === 'May we refund after 30 days?');
    assert.deepEqual(asked.map(({ isShown }) => isShown).toSorted(), [false, true]);
    assertRight(asked);
  });

  test('reply to small talk without a quotation', () => {
    assertRight(about(({ kind }) => kind === 'small-talk'));
  });

  test('show rows without the separators of the index', () => {
    for (const { answer } of judgements) assert.doesNotMatch(answer.text, /\w: [^|]* \| \w+: /);
  });

  // The thresholds are below the measured values (docs/benchmarks.md), so that a test fails only if many answers change.
  const thresholds: Record<Half, { precision: number; answered: number; followUps: number }> = {
    tuning: { precision: 0.95, answered: 0.9, followUps: 0.85 },
    'held out': { precision: 0.92, answered: 0.8, followUps: 0.7 },
  };
  for (const half of ['tuning', 'held out'] as const)
    test(`reach the thresholds on the ${half} half`, () => {
      const measured = measure(about((question) => halfOf(question) === half));
      for (const [name, least] of Object.entries(thresholds[half])) {
        const value = measured[name as keyof typeof measured] ?? 0;
        assert.ok(value >= least, `${name}: ${value} is below ${least}`);
      }
    });

  test('judge at least 150 questions in eight languages, in two halves of similar size', () => {
    const questions = judgements.map(({ question }) => question);
    assert.ok(questions.length >= 150);
    assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length);
    assert.equal(new Set(questions.map(({ language }) => language)).size, 8);
    const tuned = questions.filter((question) => halfOf(question) === 'tuning').length;
    assert.ok(Math.abs(tuned / questions.length - 0.5) < 0.1);
  });
});
