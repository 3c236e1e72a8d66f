import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Draft } from '../../chat/draft.ts';
import { fill } from '../../translations/strings.ts';
import { Icon } from '../icon.tsx';
import { SHAPES } from '../shapes.ts';
import { useWords } from '../strings-context.ts';

/** What the service takes; beyond it nothing is sent. */
export const MOST_CHARACTERS = 4000;

/** Where a person types. Enter sends, Shift and Enter begins a line, Escape stops the answer. */
export function Composer(props: {
  readonly placeholder: string | null;
  readonly isAnswering: boolean;
  readonly draft: Draft;
  readonly onAsk: (text: string) => void;
  readonly onStop: () => void;
  /** Somebody begins to type, and is about to ask. */
  readonly onBegin: () => void;
  /** Hands out the field, to be given the focus from elsewhere. */
  readonly fieldRef: (field: HTMLTextAreaElement | null) => void;
}) {
  const { placeholder, isAnswering, draft, onAsk, onStop, onBegin, fieldRef } = props;
  const words = useWords();
  const [text, setText] = useState(() => draft.read());
  const field = useRef<HTMLTextAreaElement | null>(null);
  // As high as its text, within what the style allows.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);

  const question = text.trim();
  const label = isAnswering ? words.stop : words.send;
  const isTooLong = question.length > MOST_CHARACTERS;
  const type = (typed: string) => {
    if (text === '' && typed !== '') onBegin();
    setText(typed);
    draft.keep(typed);
  };
  const send = () => {
    if (question === '' || isTooLong || isAnswering) return;
    onAsk(question);
    type('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isAnswering) {
      event.stopPropagation();
      onStop();
    }
    // While a word is put together from several keys, Enter belongs to that.
    // Safari ends that before it tells of the key, and marks it by its code alone.
    const isComposing = event.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAnswering) onStop();
        else send();
      }}
    >
      <div class="field">
        <textarea
          ref={(element) => {
            field.current = element;
            fieldRef(element);
          }}
          rows={1}
          dir="auto"
          value={text}
          placeholder={placeholder ?? words.placeholder}
          aria-label={words.question}
          aria-invalid={isTooLong}
          aria-describedby={isTooLong ? 'too-long' : undefined}
          enterkeyhint="send"
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {/* One button, which keeps the focus. */}
        <button
          type="submit"
          class={`icon-button ${isAnswering ? 'stop' : 'send'}`}
          aria-label={label}
          title={label}
          aria-disabled={!isAnswering && (question === '' || isTooLong)}
          // Who presses twice to send does not mean to stop.
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          <Icon shape={isAnswering ? SHAPES.stop : SHAPES.send} />
        </button>
      </div>
      {isTooLong && (
        <p id="too-long" class="problem" role="alert">
          {fill(words.tooLong, { limit: MOST_CHARACTERS })}
        </p>
      )}
    </form>
  );
}
