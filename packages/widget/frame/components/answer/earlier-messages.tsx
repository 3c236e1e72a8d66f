import type { ReadonlySignal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import { FailureNote } from '../failure-note.tsx';
import { useStrings } from '../strings-context.ts';

export interface EarlierMessagesProps {
  readonly chat: {
    /** `null` if all messages are loaded. */
    readonly earlier: ReadonlySignal<string | null>;
    loadEarlier(): Promise<Failure | null>;
  };
}

/** A button that loads earlier messages. The messages that are in view stay in view. */
export function EarlierMessages({ chat }: EarlierMessagesProps) {
  const strings = useStrings();
  const button = useRef<HTMLButtonElement>(null);
  const [isLoading, setLoading] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = async () => {
    const box = button.current?.closest('section');
    const fromEnd = (box?.scrollHeight ?? 0) - (box?.scrollTop ?? 0);
    setLoading(true);
    setFailure(await chat.loadEarlier());
    setLoading(false);
    requestAnimationFrame(() => {
      if (box != null) box.scrollTop = box.scrollHeight - fromEnd;
      // The button disappears with the first message of the conversation.
      if (chat.earlier.peek() === null) box?.focus({ preventScroll: true });
    });
  };
  return (
    <div class="earlier">
      {failure !== null && <FailureNote failure={failure} />}
      <button
        ref={button}
        type="button"
        class="button"
        aria-disabled={isLoading}
        onClick={() => !isLoading && void load()}
      >
        {isLoading ? strings.loading : strings.more}
      </button>
    </div>
  );
}
