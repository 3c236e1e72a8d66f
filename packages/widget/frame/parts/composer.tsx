import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Draft } from '../draft/draft.ts';
import { fill } from '../words/words.ts';
import { Icon, IconButton } from './icon.tsx';
import { useWords } from './spoken.ts';

/** What the service takes; beyond it nothing is sent. */
const MOST_CHARACTERS = 4000;

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
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
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
        {isAnswering ? (
          <IconButton name="stop" label={words.stop} onPress={onStop} />
        ) : (
          <button
            type="submit"
            class="icon-button send"
            aria-label={words.send}
            title={words.send}
            aria-disabled={question === '' || isTooLong}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
      {isTooLong && (
        <p id="too-long" class="problem" role="alert">
          {fill(words.tooLong, { limit: MOST_CHARACTERS })}
        </p>
      )}
    </form>
  );
}
