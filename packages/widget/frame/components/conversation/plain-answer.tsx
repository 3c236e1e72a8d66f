import type { AnswerViewProps } from '../answer/answer-view.tsx';
import { FailureNote } from '../failure-note.tsx';
import { Thinking } from './thinking.tsx';

/** An answer until all is there that shows it well, which may be never. */
export function PlainAnswer({ answer, name }: AnswerViewProps) {
  const { text, state, failure } = answer.view.value;
  const isComing = state === 'coming';
  return (
    <article class="answer" aria-label={name} aria-busy={isComing}>
      {isComing && text === '' && <Thinking />}
      {text !== '' && (
        <p class="plain" dir="auto">
          {text}
        </p>
      )}
      {failure !== null && <FailureNote failure={failure} />}
    </article>
  );
}
