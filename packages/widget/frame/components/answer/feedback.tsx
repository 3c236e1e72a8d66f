import type { Feedback as Given } from '@gatehouse/contract';
import { useState } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import { FailureNote } from '../failure-note.tsx';
import { IconButton } from '../icon.tsx';
import { useWords } from '../strings-context.ts';
import { SHAPES } from './shapes.ts';

const MOST_CHARACTERS = 2000;

/** Whether an answer helped, and what would have. `onRate` resolves to why it is not kept, or null. */
export function Feedback(props: {
  readonly rating: Given['rating'] | null;
  readonly onRate: (feedback: Given) => Promise<Failure | null>;
}) {
  const { rating, onRate } = props;
  const words = useWords();
  const [asks, setAsks] = useState(false);
  const [isThanked, setThanked] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [comment, setComment] = useState('');
  const rate = async (given: Given) => {
    setThanked(false);
    setFailure(null);
    const failed = await onRate(given);
    setThanked(failed === null);
    setFailure(failed);
    return failed === null;
  };
  const send = async (form: HTMLFormElement) => {
    const text = comment.trim();
    if (!(await rate({ rating: 'down', ...(text === '' ? {} : { comment: text }) }))) return;
    // The focus would be nowhere once the form is gone.
    form.parentElement?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
    setAsks(false);
  };

  return (
    <>
      <IconButton
        shape={SHAPES.up}
        label={words.helpful}
        isPressed={rating === 'up'}
        onPress={() => {
          setAsks(false);
          void rate({ rating: 'up' });
        }}
      />
      <IconButton
        shape={SHAPES.down}
        label={words.notHelpful}
        isPressed={rating === 'down'}
        onPress={() => {
          setAsks(true);
          void rate({ rating: 'down' });
        }}
      />
      <span class="thanks" role="status">
        {isThanked && !asks ? words.thanks : ''}
      </span>
      {failure !== null && <FailureNote failure={failure} />}
      {asks && (
        <form
          class="comment"
          onSubmit={(event) => {
            event.preventDefault();
            void send(event.currentTarget);
          }}
        >
          <textarea
            rows={2}
            dir="auto"
            maxLength={MOST_CHARACTERS}
            aria-label={words.comment}
            placeholder={words.comment}
            value={comment}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
          <button type="submit" class="button">
            {words.sendComment}
          </button>
        </form>
      )}
    </>
  );
}
