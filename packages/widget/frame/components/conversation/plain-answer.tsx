import type { Feedback } from '@gatehouse/contract';
import type { Failure } from '../../api/failure.ts';
import type { Answer, Source } from '../../chat/message.ts';
import { FailureNote } from '../failure-note.tsx';

export interface AnswerProps {
  readonly answer: Answer;
  readonly name: string;
  /** `null` if answers are not stored, so that they cannot be rated. */
  readonly onRate: ((answer: Answer, feedback: Feedback) => Promise<Failure | null>) | null;
  /** `null` while an answer is streaming, and for all answers but the last. */
  readonly onAgain: ((answer: Answer) => void) | null;
  readonly onOpen: (source: Source) => void;
}

/** An answer as plain text, until the components for Markdown are loaded. */
export function PlainAnswer({ answer, name }: Pick<AnswerProps, 'answer' | 'name'>) {
  const { text, state, failure } = answer.view.value;
  const isStreaming = state === 'streaming';
  return (
    <article class="answer" aria-label={name} aria-busy={isStreaming}>
      {isStreaming && text === '' && <Thinking />}
      {text !== '' && (
        <p class="plain" dir="auto">
          {text}
        </p>
      )}
      {failure !== null && <FailureNote failure={failure} />}
    </article>
  );
}

/** A placeholder for the first text of an answer. `Announcements` has the equivalent for screen readers. */
export function Thinking() {
  return (
    <p class="thinking">
      <span class="dots" aria-hidden="true" />
    </p>
  );
}
