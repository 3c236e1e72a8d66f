export { createRunningAnswerRepository } from './running-answer.repository.ts';
export { RunningAnswers } from './running-answers.ts';
