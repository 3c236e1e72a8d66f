import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AnswerProps } from '../conversation/plain-answer.tsx';
import { useStrings } from '../strings-context.ts';

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
