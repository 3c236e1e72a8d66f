import type { Feedback as FeedbackInput } from '@gatehouse/contract';
import { useState } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import { FailureNote } from '../failure-note.tsx';
import { IconButton } from '../icon.tsx';
import { useStrings } from '../strings-context.ts';

const MAX_COMMENT_LENGTH = 2000;
const UP_ICON = 'M7 11v9M7 11l4-8c1.5 0 2.5 1 2.5 2.5V9H19l-1.5 11H7M7 11H4v9h3';
const DOWN_ICON = 'M7 13V4M7 13l4 8c1.5 0 2.5-1 2.5-2.5V15H19L17.5 4H7M7 13H4V4h3';

/** Comments that are not sent. They outlive the component, which disappears while a notice replaces the conversation. */
const comments = new WeakMap<object, string>();

/** Buttons for rating an answer, and a form for a comment. `onRate` resolves to `null` when the rating is stored. */
export function Feedback(props: {
  readonly answer: object;
  readonly rating: FeedbackInput['rating'] | null;
  readonly onRate: (feedback: FeedbackInput) => Promise<Failure | null>;
}) {
  const { answer, rating, onRate } = props;
  const strings = useStrings();
  const [isFormOpen, setFormOpen] = useState(comments.has(answer));
  const [hasThanked, setHasThanked] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [comment, setComment] = useState(comments.get(answer) ?? '');
  const rate = async (feedback: FeedbackInput) => {
    setHasThanked(false);
    setFailure(null);
    const failed = await onRate(feedback);
    setHasThanked(failed === null);
    setFailure(failed);
    return failed === null;
  };
  const send = async (form: HTMLFormElement) => {
    const text = comment.trim();
    if (!(await rate({ rating: 'down', ...(text === '' ? {} : { comment: text }) }))) return;
    comments.delete(answer);
    // The form is about to be removed, so move the focus to another element.
    form.parentElement?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
    setFormOpen(false);
  };

  return (
    <>
      <IconButton
        shape={UP_ICON}
        label={strings.helpful}
        isPressed={rating === 'up'}
        onPress={() => {
          comments.delete(answer);
          setFormOpen(false);
          void rate({ rating: 'up' });
        }}
      />
      <IconButton
        shape={DOWN_ICON}
        label={strings.notHelpful}
        isPressed={rating === 'down'}
        onPress={() => {
          setFormOpen(true);
          void rate({ rating: 'down' });
        }}
      />
      <span class="thanks" role="status">
        {hasThanked && !isFormOpen ? strings.thanks : ''}
      </span>
      {failure !== null && <FailureNote failure={failure} />}
      {isFormOpen && (
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
            maxLength={MAX_COMMENT_LENGTH}
            aria-label={strings.comment}
            placeholder={strings.comment}
            value={comment}
            onInput={({ currentTarget: { value } }) => {
              comments.set(answer, value);
              setComment(value);
            }}
          />
          <button type="submit" class="button">
            {strings.sendComment}
          </button>
        </form>
      )}
    </>
  );
}
