import { h } from 'preact';
import type { Words } from '../words/words.ts';
export function AnswerText(props: {
  text: string;
  isComing: boolean;
  words: Words;
  sources: ReadonlyMap<number, { title: string }>;
  onCite: (number: number) => void;
}) {
  return h('p', { class: 'plain' }, props.text);
}
