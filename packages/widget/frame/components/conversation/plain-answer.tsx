import type { Feedback } from '@gatehouse/contract';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import type { Answer, Source } from '../../chat/message.ts';
import { FailureNote } from '../failure-note.tsx';
import { useStrings } from '../strings-context.ts';

export interface AnswerProps {
  readonly answer: Answer;
  readonly name: string;
  /** `null` if answers are not stored and therefore cannot be rated. */
  readonly onRate: ((answer: Answer, feedback: Feedback) => Promise<Failure | null>) | null;
  /** `null` while an answer is streaming, and for all answers except the last. */
  readonly onRegenerate: ((answer: Answer) => void) | null;
  readonly onOpen: (source: Source) => void;
  readonly onStop: () => void;
  /** Moves the focus to the text field. */
  readonly focus: () => void;
}

/** Matches citations, also incomplete. A simpler form of the pattern of `splitCitations`, which is loaded later. */
const CITATIONS = /\s*[[【［](?:[1-9][^\]】］]{0,40})?(?:[\]】］]|$)/g;

/** An answer as plain text without citations, shown until the Markdown components are loaded. */
export function PlainAnswer({ answer, name, ...rest }: AnswerProps) {
  const { text, state, failure } = answer.view.value;
  const isStreaming = state === 'streaming';
  return (
    <article class="answer" aria-label={name} aria-busy={isStreaming}>
      {text !== '' && (
        <p class="plain" dir="auto">
          {text.replace(CITATIONS, '')}
        </p>
      )}
      <Progress answer={answer} {...rest} />
      {failure !== null && <FailureNote failure={failure} />}
    </article>
  );
}

/**
 * A progress indicator, shown until the first text arrives and while the answer is slow. For screen readers,
 * `Announcements` reports the progress.
 */
export function Progress(props: Pick<AnswerProps, 'answer' | 'onStop' | 'focus'>) {
  const { answer, onStop, focus } = props;
  const { text, state } = answer.view.value;
  const isSlow = answer.isSlow.value;
  if (state !== 'streaming' || (text !== '' && !isSlow)) return null;
  return (
    <div class="thinking">
      <span class="dots" aria-hidden="true" />
      {isSlow && <StillWorking onStop={onStop} focus={focus} />}
    </div>
  );
}

function StillWorking({ onStop, focus }: Pick<AnswerProps, 'onStop' | 'focus'>) {
  const strings = useStrings();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      // The button disappears when the answer continues or ends.
      if (button.current === document.activeElement) focus();
    },
    [focus],
  );
  return (
    <>
      <span>{strings.stillWorking}</span>
      <button ref={button} type="button" class="button" onClick={onStop}>
        {strings.stop}
      </button>
    </>
  );
}
