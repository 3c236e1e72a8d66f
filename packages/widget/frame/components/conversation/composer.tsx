import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Draft } from '../../chat/draft.ts';
import { interpolate } from '../../translations/strings.ts';
import { Icon } from '../icon.tsx';
import { useStrings } from '../strings-context.ts';

/** In UTF-16 units. The service rejects longer questions. */
export const MAX_QUESTION_LENGTH = 4000;
const SEND_ICON = 'M5 12h13M12 5l7 7-7 7';
const STOP_ICON = 'M7 7h10v10H7z';

/** The text field. Enter sends, Shift+Enter starts a new line, Escape stops the answer. */
export function Composer(props: {
  readonly placeholder: string | null;
  readonly isAnswering: boolean;
  readonly draft: Draft;
  readonly onAsk: (text: string) => void;
  readonly onStop: () => void;
  /** Called for the first character, when a question is likely to follow. */
  readonly onStartTyping: () => void;
  /** Receives the field, so that other components can focus it. */
  readonly fieldRef: (field: HTMLTextAreaElement | null) => void;
}) {
  const { placeholder, isAnswering, draft, onAsk, onStop, onStartTyping, fieldRef } = props;
  const strings = useStrings();
  const [text, setText] = useState(() => draft.read());
  const field = useRef<HTMLTextAreaElement | null>(null);
  // Grows with its text, up to the maximum height in the style sheet.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);

  const question = text.trim();
  const label = isAnswering ? strings.stop : strings.send;
  const isTooLong = question.length > MAX_QUESTION_LENGTH;
  const type = (typed: string) => {
    if (text === '' && typed !== '') onStartTyping();
    setText(typed);
    draft.write(typed);
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
    // Enter confirms a word in an input method editor. Safari ends the composition before this event and marks
    // the event only by its key code.
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
          placeholder={placeholder ?? strings.placeholder}
          aria-label={strings.question}
          aria-invalid={isTooLong}
          aria-describedby={isTooLong ? 'too-long' : undefined}
          enterkeyhint="send"
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {/* One button for both actions, so that it keeps the focus. */}
        <button
          type="submit"
          class={`icon-button ${isAnswering ? 'stop' : 'send'}`}
          aria-label={label}
          title={label}
          aria-disabled={!isAnswering && (question === '' || isTooLong)}
          // The second click of a double click on “Send” must not stop the answer.
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          <Icon shape={isAnswering ? STOP_ICON : SEND_ICON} />
        </button>
      </div>
      {isTooLong && (
        <p id="too-long" class="problem" role="alert">
          {interpolate(strings.tooLong, { limit: MAX_QUESTION_LENGTH })}
        </p>
      )}
    </form>
  );
}
