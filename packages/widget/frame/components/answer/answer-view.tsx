import { useState } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import type { Source } from '../../chat/message.ts';
import { AnswerText } from '../../markdown/answer-text.ts';
import { copyText } from '../../text/copy-text.ts';
import { visible } from '../../text/visible.ts';
import { type AnswerProps, Thinking } from '../conversation/plain-answer.tsx';
import { FailureNote } from '../failure-note.tsx';
import { Icon, IconButton } from '../icon.tsx';
import { useStrings } from '../strings-context.ts';
import { Feedback } from './feedback.tsx';

const COPY_ICON = 'M9 9h10v11H9zM5 15V4h10';
const DONE_ICON = 'M5 13l4 4L19 7';
const AGAIN_ICON = 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6';

/** An answer with its sources and actions. */
export function AnswerView(props: AnswerProps) {
  const { answer, name, onRate, onAgain, onOpen } = props;
  const { text, sources, state, failure, rating } = answer.view.value;
  const strings = useStrings();
  const isStreaming = state === 'streaming';
  const isKept = onRate !== null && answer.id !== null && text !== '';
  return (
    <article class="answer" aria-label={name} aria-busy={isStreaming}>
      {isStreaming && text === '' && <Thinking />}
      {text !== '' && (
        <CitedText text={text} isStreaming={isStreaming} sources={sources} onCite={onOpen} />
      )}
      {state === 'hidden' && <p class="aside">{strings.hidden}</p>}
      {state === 'stopped' && <p class="aside">{strings.stopped}</p>}
      {failure !== null && <FailureNote failure={failure} />}
      {state === 'failed' && failure === null && (
        <p class="problem">{strings.failures['answer-broken']}</p>
      )}
      {sources.length > 0 && !isStreaming && <Sources sources={sources} onOpen={onOpen} />}
      {!isStreaming && (
        <div class="actions">
          {text !== '' && <CopyButton text={text} />}
          {onAgain !== null && <AgainButton failure={failure} onPress={() => onAgain(answer)} />}
          {isKept && state !== 'failed' && (
            <Feedback rating={rating} onRate={(feedback) => onRate(answer, feedback)} />
          )}
        </div>
      )}
    </article>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const strings = useStrings();
  const [isCopied, setCopied] = useState(false);
  return (
    <IconButton
      shape={isCopied ? DONE_ICON : COPY_ICON}
      label={isCopied ? strings.copied : strings.copy}
      onPress={() => void copyText(text).then(setCopied)}
    />
  );
}

function AgainButton(props: { readonly failure: Failure | null; readonly onPress: () => void }) {
  const { failure, onPress } = props;
  const strings = useStrings();
  if (failure === null)
    return <IconButton shape={AGAIN_ICON} label={strings.again} onPress={onPress} />;
  if (!failure.retriable) return null;
  return (
    <button type="button" class="button" onClick={onPress}>
      <Icon shape={AGAIN_ICON} />
      {strings.tryAgain}
    </button>
  );
}

/** The text of an answer. Each citation in it opens its source. */
function CitedText(props: {
  readonly text: string;
  readonly isStreaming: boolean;
  readonly sources: readonly Source[];
  readonly onCite: (source: Source) => void;
}) {
  const { text, isStreaming, sources, onCite } = props;
  const strings = useStrings();
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  return (
    <AnswerText
      text={text}
      isStreaming={isStreaming}
      strings={strings}
      sources={byNumber}
      onCite={(number) => {
        const source = byNumber.get(number);
        if (source !== undefined) onCite(source);
      }}
    />
  );
}

/** The cited passages, as cards that open them. */
function Sources(props: {
  readonly sources: readonly Source[];
  readonly onOpen: (source: Source) => void;
}) {
  const { sources, onOpen } = props;
  const strings = useStrings();
  return (
    <section class="sources" aria-label={strings.sources}>
      <ul>
        {sources.map((source) => (
          <li key={source.number}>
            <button type="button" class="source" onClick={() => onOpen(source)}>
              <span class="number">{source.number}</span>
              <span class="name" dir="auto">
                {source.title}
              </span>
              {source.heading !== null && (
                <span class="place" dir="auto">
                  {visible(source.heading)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
