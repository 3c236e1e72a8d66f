import type { Handoff, SpaceConversationWithMessages } from '@gatehouse/client';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { client, type Problem, toProblem } from '../../app/client.ts';
import { submits } from '../../app/forms/submits.ts';
import { useUnsaved } from '../../app/forms/unsaved.ts';
import { useAction } from '../../app/loading.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';

type Message = SpaceConversationWithMessages['messages']['items'][number];

const MAX_LENGTH = 4000;
const RECONNECT_MS = 2000;

/** Says that a conversation waits for a person, or that a person answers in it. */
export function HandoffBadge({ handoff }: { readonly handoff: Handoff | null }) {
  if (handoff?.state === 'requested')
    return <span class="badge warn">{t('waiting for a person')}</span>;
  if (handoff?.state === 'active')
    return <span class="badge good">{t('answered by a person')}</span>;
  return null;
}

export interface HandoffPanelProps {
  readonly spaceId: string;
  readonly conversationId: string;
  readonly handoff: Handoff | null;
  /** IDs of the messages that the page shows already. */
  readonly shown: readonly string[];
  readonly onEnd: () => void;
}

/** Shows new messages of an open handoff as they arrive, with a field to answer and a button to end the handoff. */
export function HandoffPanel(props: HandoffPanelProps) {
  const { spaceId, conversationId, handoff, shown, onEnd } = props;
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [current, setCurrent] = useState(handoff);
  const [text, setText] = useState('');
  const [lost, setLost] = useState<Problem | null>(null);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useUnsaved(text !== '');
  // The stream reports the end first, and the page loads all messages then.
  const isOpen = current !== null && handoff?.state !== 'ended';
  useEffect(() => {
    if (!isOpen) return;
    const left = new AbortController();
    void follow(spaceId, conversationId, left.signal, {
      onMessage: (message) =>
        setMessages((all) => (all.some(({ id }) => id === message.id) ? all : [...all, message])),
      onHandoff: setCurrent,
      onProblem: setLost,
      onEnd,
    });
    return () => left.abort();
  }, [spaceId, conversationId, isOpen, onEnd]);
  const send = useAction(async () => {
    await client.spaceConversations.answer(conversationId, { text }, { spaceId });
    // The user may have written more meanwhile.
    setText((now) => (now.startsWith(text) ? now.slice(text.length) : now));
    field.current?.focus();
  });
  const end = useAction(async () => {
    await client.spaceConversations.endHandoff(conversationId, { spaceId });
  });
  if (!isOpen) return null;
  const problem = send.problem ?? end.problem ?? lost;
  return (
    <section aria-label={t('Answer as a person')}>
      <ol class="messages" aria-live="polite">
        {messages
          .filter(({ id }) => !shown.includes(id))
          .map((message) => (
            <li key={message.id} class={message.role}>
              <p class="hint">
                <strong>
                  <bdi>{message.author ?? t('Person')}</bdi>
                </strong>{' '}
                <Time at={message.createdAt} />
              </p>
              <p class="answer" dir="auto">
                {message.text}
              </p>
            </li>
          ))}
      </ol>
      <p role="status">
        <HandoffBadge handoff={current} /> {t('The assistant is silent until you end the handoff.')}
      </p>
      <form onSubmit={submits(() => void send.run())}>
        <div class="field">
          <label for={id}>{t('Your answer (Markdown)')}</label>
          <textarea
            id={id}
            ref={field}
            required
            dir="auto"
            rows={4}
            maxLength={MAX_LENGTH}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
        {problem && <ProblemNote problem={problem} />}
        <div class="actions">
          <button
            type="submit"
            class="main"
            disabled={text.trim() === ''}
            aria-disabled={send.isRunning}
          >
            {t('Send')}
          </button>
          <button type="button" aria-disabled={end.isRunning} onClick={() => void end.run()}>
            {t('End the handoff')}
          </button>
        </div>
      </form>
    </section>
  );
}

/** Follows a handoff until it ends, and connects again after failures. */
async function follow(
  spaceId: string,
  conversationId: string,
  signal: AbortSignal,
  on: {
    readonly onMessage: (message: Message) => void;
    readonly onHandoff: (handoff: Handoff) => void;
    /** Null: the page is connected again. */
    readonly onProblem: (problem: Problem | null) => void;
    readonly onEnd: () => void;
  },
): Promise<void> {
  while (!signal.aborted) {
    let isOpen = false;
    try {
      const options = { spaceId, signal };
      for await (const update of client.spaceConversations.follow(conversationId, options)) {
        isOpen = true;
        on.onProblem(null);
        if (update.type === 'message') on.onMessage(update.message);
        else if (update.handoff.state !== 'ended') on.onHandoff(update.handoff);
        else isOpen = false;
      }
    } catch (error) {
      if (signal.aborted) return;
      on.onProblem(toProblem(error));
      isOpen = true;
    }
    if (signal.aborted) return;
    if (!isOpen) return on.onEnd();
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
