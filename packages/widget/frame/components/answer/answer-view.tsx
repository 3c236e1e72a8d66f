import type { Feedback as FeedbackInput } from '@gatehouse/contract';
import { withoutUnknownCitations } from '@gatehouse/contract/answer-text';
import { useState } from 'preact/hooks';
import { isQuestion } from '../../../protocol/messages.ts';
import type { Api } from '../../api/api.ts';
import { type Failure, isFailure } from '../../api/failure.ts';
import type { Answer, Source } from '../../chat/message.ts';
import { AnswerText } from '../../markdown/answer-text.ts';
import { copyText } from '../../text/copy-text.ts';
import { visible } from '../../text/visible.ts';
import type { Language } from '../../translations/languages.ts';
import type { AnswerProps } from '../conversation/plain-answer.tsx';
import { FailureNote } from '../failure-note.tsx';
import { Icon, IconButton } from '../icon.tsx';
import { lazy } from '../lazy.ts';
import { useLanguage, useStrings } from '../strings-context.ts';
import { Feedback } from './feedback.tsx';
import { Progress } from './progress.tsx';
import { SourceLink } from './source-link.tsx';

const ToolCalls = lazy(() => import('../tools/index.ts').then((module) => module.ToolCalls));

const COPY_ICON = 'M9 9h10v11H9zM5 15V4h10';
const DONE_ICON = 'M5 13l4 4L19 7';
const REGENERATE_ICON = 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6';

export function AnswerView(props: AnswerProps) {
  const { answer, api, host, name, canRate, isReloading, onOpen, onStop, onAsk, focus } = props;
  const { text, reasoning, suggestions, sources, tools, state, failure, rating } =
    answer.view.value;
  const strings = useStrings();
  const isStreaming = state === 'streaming';
  const isReloaded = isReloading && props.onRegenerate !== null;
  const onRegenerate = isReloaded ? null : props.onRegenerate;
  const { author } = answer;
  const isTeam = author !== undefined;
  return (
    <article class="answer" aria-label={author ?? name} aria-busy={isStreaming}>
      {isTeam && (
        <p class="aside">
          <bdi>{author}</bdi>
        </p>
      )}
      {tools.length > 0 && (
        <ToolCalls
          parts={tools}
          isRunning={isStreaming}
          api={api}
          host={answer.isResumed ? null : host}
          focus={focus}
        />
      )}
      {reasoning !== '' && <Reasoning text={reasoning} />}
      {text !== '' && (
        <CitedText text={text} isStreaming={isStreaming} sources={sources} onCite={onOpen} />
      )}
      <Progress answer={answer} onStop={onStop} focus={focus} />
      {state === 'hidden' && <p class="aside">{strings.hidden}</p>}
      {state === 'stopped' && <p class="aside">{strings.stopped}</p>}
      {failure !== null && !isReloaded && <FailureNote failure={failure} />}
      {state === 'failed' && failure === null && (
        <p class="problem">{strings.failures['answer-broken']}</p>
      )}
      {sources.length > 0 && !isStreaming && <Sources sources={sources} onOpen={onOpen} />}
      {!isStreaming && (
        <div class="actions">
          {text !== '' && <CopyButton text={text} sources={sources} />}
          {onRegenerate !== null && !isTeam && (
            <RegenerateButton failure={failure} onPress={() => onRegenerate(answer)} />
          )}
          {canRate && !isTeam && answer.id !== null && text !== '' && state !== 'failed' && (
            <Feedback
              answer={answer}
              rating={rating}
              onRate={(feedback) => rate(api, answer, feedback)}
            />
          )}
        </div>
      )}
      {onRegenerate !== null && <FollowUps texts={suggestions} onAsk={onAsk} />}
    </article>
  );
}

/** Rates an answer. Resolves to `null` when the rating is stored. */
async function rate(api: Api, answer: Answer, feedback: FeedbackInput): Promise<Failure | null> {
  const path = `/chat/messages/${answer.id}/feedback`;
  const response = await api.send({ method: 'POST', path, body: feedback });
  if (isFailure(response)) return response;
  answer.view.value = { ...answer.view.peek(), rating: feedback.rating };
  return null;
}

function CopyButton(props: { readonly text: string; readonly sources: readonly Source[] }) {
  const { text, sources } = props;
  const strings = useStrings();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const numbers = new Set(sources.map(({ number }) => number));
    setCopied(await copyText(withoutUnknownCitations(text, numbers)));
  };
  return (
    <IconButton
      shape={isCopied ? DONE_ICON : COPY_ICON}
      label={isCopied ? strings.copied : strings.copy}
      onPress={() => void copy()}
    />
  );
}

function RegenerateButton(props: {
  readonly failure: Failure | null;
  readonly onPress: () => void;
}) {
  const { failure, onPress } = props;
  const strings = useStrings();
  if (failure === null)
    return <IconButton shape={REGENERATE_ICON} label={strings.regenerate} onPress={onPress} />;
  if (!failure.retriable) return null;
  return (
    <button type="button" class="button" onClick={onPress}>
      <Icon shape={REGENERATE_ICON} />
      {strings.tryAgain}
    </button>
  );
}

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
                {visible(source.title)}
              </span>
              {/* The title of a record is also its heading. */}
              {source.heading !== null && source.heading !== source.title && (
                <span class="place" dir="auto">
                  {visible(source.heading)}
                </span>
              )}
            </button>
            <SourceLink url={source.url} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Suggested further questions after the last answer. */
function FollowUps(props: {
  readonly texts: readonly string[];
  readonly onAsk: (text: string) => void;
}) {
  const strings = useStrings();
  const texts = props.texts.filter(isQuestion);
  if (texts.length === 0) return null;
  return (
    <section class="suggestions" aria-label={strings.suggestions}>
      <ul>
        {texts.map((text) => (
          <li key={text}>
            <button type="button" dir="auto" onClick={() => props.onAsk(text)}>
              {visible(text)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LABELS: Readonly<Record<Language, string>> = {
  en: 'Reasoning of the model',
  ar: 'تفكير النموذج',
  de: 'Überlegungen des Modells',
  es: 'Razonamiento del modelo',
  fr: 'Raisonnement du modèle',
  ja: 'モデルの思考過程',
  ru: 'Рассуждения модели',
  zh: '模型的思考过程',
};

/** The reasoning of a model as plain text, folded until the person opens it. */
function Reasoning({ text }: { readonly text: string }) {
  return (
    <details class="reasoning">
      <summary>{LABELS[useLanguage() as Language] ?? LABELS.en}</summary>
      <p dir="auto">{visible(text)}</p>
    </details>
  );
}
