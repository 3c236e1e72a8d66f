import type { Feedback as Given } from '@gatehouse/contract';
import { useState } from 'preact/hooks';
import { IconButton } from '../icon.tsx';
import { useWords } from '../spoken.ts';

const MOST_CHARACTERS = 2000;

/** Whether an answer helped, and what would have. `onRate` resolves to whether it is kept. */
export function Feedback(props: {
  readonly rating: Given['rating'] | null;
  readonly onRate: (feedback: Given) => Promise<boolean>;
}) {
  const { rating, onRate } = props;
  const words = useWords();
  const [asks, setAsks] = useState(false);
  const [isThanked, setThanked] = useState(false);
  const [comment, setComment] = useState('');
  const rate = async (given: Given) => {
    const isKept = await onRate(given);
    setThanked(isKept);
    return isKept;
  };
  const send = async () => {
    const text = comment.trim();
    if (await rate({ rating: 'down', ...(text === '' ? {} : { comment: text }) })) setAsks(false);
  };

  return (
    <>
      <IconButton
        name="up"
        label={words.helpful}
        isPressed={rating === 'up'}
        onPress={() => {
          setAsks(false);
          void rate({ rating: 'up' });
        }}
      />
      <IconButton
        name="down"
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
      {asks && (
        <form
          class="comment"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
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
