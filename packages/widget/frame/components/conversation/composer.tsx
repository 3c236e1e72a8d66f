import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { MAX_QUESTION_LENGTH } from '../../../protocol/messages.ts';
import type { Draft } from '../../chat/draft.ts';
import { interpolate } from '../../translations/strings.ts';
import { Icon } from '../icon.tsx';
import { isSendKey } from '../send-key.ts';
import { useStrings } from '../strings-context.ts';

const SEND_ICON = 'M5 12h13M12 5l7 7-7 7';
const STOP_ICON = 'M7 7h10v10H7z';

/** The text field. Enter sends, Shift+Enter starts a new line, Escape stops the answer. */
export function Composer(props: {
  readonly placeholder: string | null;
  readonly isAnswering: boolean;
  readonly draft: Draft;
  readonly onAsk: (text: string) => void;
  readonly onStop: () => void;
  /** Called when the first character is typed. */
  readonly onStartTyping: () => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Elements in front of the text field. */
  readonly children: ComponentChildren;
}) {
  const { placeholder, isAnswering, draft, onAsk, onStop, onStartTyping, field } = props;
  const strings = useStrings();
  const text = draft.text.value;
  // Fit the height to the text. The style sheet limits the height.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);

  const question = text.trim();
  const label = isAnswering ? strings.stop : strings.send;
  const limit = formatNumber(MAX_QUESTION_LENGTH);
  const isTooLong = question.length > MAX_QUESTION_LENGTH;
  const type = (typed: string) => {
    if (text === '' && typed !== '') onStartTyping();
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
    if (!isSendKey(event)) return;
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
        {props.children}
        <textarea
          ref={field}
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
        {/* A single button for both actions keeps the focus when the action changes. */}
        <button
          type="submit"
          class={`icon-button ${isAnswering ? 'stop' : 'send'}`}
          aria-label={label}
          title={label}
          aria-disabled={!isAnswering && (question === '' || isTooLong)}
          // The second click of a double-click on “Send” must not stop the answer.
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          <Icon shape={isAnswering ? STOP_ICON : SEND_ICON} />
        </button>
      </div>
      {isTooLong && (
        <p id="too-long" class="problem">
          <span role="alert">{interpolate(strings.tooLong, { limit })}</span>{' '}
          {/* Not part of the alert, because screen readers would announce each typed character. */}
          <bdi dir="ltr">{`${formatNumber(question.length)} / ${limit}`}</bdi>
        </p>
      )}
    </form>
  );
}

/** Formats a number in the language of the page. */
function formatNumber(number: number): string {
  return number.toLocaleString(document.documentElement.lang);
}
