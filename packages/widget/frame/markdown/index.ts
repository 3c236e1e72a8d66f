export { AnswerText, type AnswerTextProps } from './answer-text.ts';
