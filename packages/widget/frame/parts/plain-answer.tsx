import type { AnswerViewProps } from './answering/answer-view.tsx';
import { Thinking } from './thinking.tsx';

/** An answer until all is there that shows it well. */
export function PlainAnswer({ answer, name }: AnswerViewProps) {
  const { text } = answer.view.value;
  return (
    <article class="answer" aria-label={name} aria-busy={true}>
      {text === '' ? (
        <Thinking />
      ) : (
        <p class="plain" dir="auto">
          {text}
        </p>
      )}
    </article>
  );
}
