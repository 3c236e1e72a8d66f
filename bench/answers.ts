// Claim: without a model, the assistant quotes the right sentence or says that it does not know. `--failures` prints the failures
// of the tuning half. Failures of the other half are never printed, so that they cannot influence the tuning.

import { ask } from './answers/ask.ts';
import { halfOf, readQuestions } from './answers/collection.ts';
import { measureHandbook } from './answers/handbook.ts';
import { judge, measure } from './answers/judge.ts';
import { report } from './lib/machine.ts';

const questions = readQuestions();
const start = performance.now();
const answers = await ask(questions);
const seconds = Math.round((performance.now() - start) / 100) / 10;
const judgements = questions.map((question, index) =>
  judge(question, answers[index] ?? { text: '', cited: [] }),
);
const byHalf = Map.groupBy(judgements, ({ question }) => halfOf(question));
const tuning = byHalf.get('tuning') ?? [];
const heldOut = byHalf.get('held out') ?? [];

if (process.argv.includes('--failures')) {
  for (const { question, answer, isRight } of tuning)
    if (!isRight) console.log(JSON.stringify({ ...question, answer: answer.text }, null, 1));
} else {
  const byLanguage = (half: typeof tuning) =>
    Object.fromEntries(
      Array.from(
        Map.groupBy(half, ({ question }) => question.language),
        ([language, some]) => [language, measure(some)],
      ),
    );
  const shown = judgements.filter(({ isShown }) => isShown);
  const length = shown.reduce((sum, { answer }) => sum + answer.text.length, 0) / shown.length;
  report('precision of quoted answers and share of answered questions', {
    seconds,
    charactersPerShownAnswer: Math.round(length),
    tuning: measure(tuning),
    heldOut: measure(heldOut),
    handbook: await measureHandbook(),
    tuningByLanguage: byLanguage(tuning),
    heldOutByLanguage: byLanguage(heldOut),
  });
}
