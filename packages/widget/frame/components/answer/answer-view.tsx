import type { Feedback as Given } from '@gatehouse/contract';
import { useState } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import type { Answer, Source } from '../../chat/message.ts';
import { copyText } from '../../text/copy-text.ts';
import { Thinking } from '../conversation/thinking.tsx';
import { FailureNote } from '../failure-note.tsx';
import { Icon, IconButton } from '../icon.tsx';
import { useWords } from '../strings-context.ts';
import { CitedText } from './cited-text.tsx';
import { Feedback } from './feedback.tsx';
import { SHAPES } from './shapes.ts';
import { Sources } from './sources.tsx';

export interface AnswerViewProps {
  readonly answer: Answer;
  readonly name: string;
  /** Null where answers are not kept, and nothing can be said of them. */
  readonly onRate: ((answer: Answer, feedback: Given) => Promise<Failure | null>) | null;
  /** Null while another answer is coming, or when a later question stands on this one. */
  readonly onAgain: ((answer: Answer) => void) | null;
  readonly onOpen: (source: Source) => void;
}

/** An answer, coming or there, and what can be done with it. */
export function AnswerView(props: AnswerViewProps) {
  const { answer, name, onRate, onAgain, onOpen } = props;
  const { text, sources, state, failure, rating } = answer.view.value;
  const words = useWords();
  const isComing = state === 'coming';
  const isKept = onRate !== null && answer.id !== null && text !== '';
  return (
    <article class="answer" aria-label={name} aria-busy={isComing}>
      {isComing && text === '' && <Thinking />}
      {text !== '' && (
        <CitedText text={text} isComing={isComing} sources={sources} onCite={onOpen} />
      )}
      {state === 'hidden' && <p class="aside">{words.hidden}</p>}
      {state === 'stopped' && <p class="aside">{words.stopped}</p>}
      {failure !== null && <FailureNote failure={failure} />}
      {state === 'failed' && failure === null && (
        <p class="problem">{words.failures['answer-broken']}</p>
      )}
      {sources.length > 0 && !isComing && <Sources sources={sources} onOpen={onOpen} />}
      {!isComing && (
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
  const words = useWords();
  const [isCopied, setCopied] = useState(false);
  return (
    <IconButton
      shape={isCopied ? SHAPES.done : SHAPES.copy}
      label={isCopied ? words.copied : words.copy}
      onPress={() => void copyText(text).then(setCopied)}
    />
  );
}

function AgainButton(props: { readonly failure: Failure | null; readonly onPress: () => void }) {
  const { failure, onPress } = props;
  const words = useWords();
  if (failure === null)
    return <IconButton shape={SHAPES.again} label={words.again} onPress={onPress} />;
  if (!failure.retriable) return null;
  return (
    <button type="button" class="button" onClick={onPress}>
      <Icon shape={SHAPES.again} />
      {words.tryAgain}
    </button>
  );
}
