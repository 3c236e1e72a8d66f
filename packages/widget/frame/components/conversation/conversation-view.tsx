import type { WidgetSession } from '@gatehouse/contract';
import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../../api/api.ts';
import type { Chat } from '../../chat/chat.ts';
import type { Draft } from '../../chat/draft.ts';
import type { Answer, Message, Source } from '../../chat/message.ts';
import { asName, titleOf } from '../../session/appearance.ts';
import type { AnswerViewProps } from '../answer/answer-view.tsx';
import { FailureNote } from '../failure-note.tsx';
import { IconButton } from '../icon.tsx';
import { later } from '../lazy.ts';
import { SHAPES } from '../shapes.ts';
import { useWords } from '../strings-context.ts';
import { Announcements } from './announcements.tsx';
import { Composer } from './composer.tsx';
import { PlainAnswer } from './plain-answer.tsx';
import { Suggestions } from './suggestions.tsx';
import { useNewestInView } from './use-stick-to-bottom.ts';

const answering = () => import('../answer/index.ts');
const AnswerView = later(() => answering().then((room) => room.AnswerView), PlainAnswer);
const PassageDialog = later(() => answering().then((room) => room.PassageDialog));

/** The talk itself: what was said, and where one says more. */
export function Talk(props: {
  readonly session: WidgetSession;
  readonly chat: Chat;
  readonly api: Api;
  readonly draft: Draft;
  readonly isReached: boolean;
  /** Gives the focus to the field: what had it is about to go. */
  readonly focus: () => void;
  readonly fieldRef: (field: HTMLTextAreaElement | null) => void;
}) {
  const { session, chat, api, draft, isReached, focus, fieldRef } = props;
  const { assistant, jwtPayload, features } = session;
  const words = useWords();
  const { scrolled, content, isAway, show } = useNewestInView();
  const [source, setSource] = useState<Source | null>(null);
  const messages = chat.messages.value;
  const isAnswering = chat.isAnswering.value;
  useEffect(() => show(), [messages]);

  const askAgain = (answer: Answer) => {
    chat.askAgain(answer);
    focus();
  };
  const suggested = (text: string) => {
    chat.ask(text);
    focus();
  };
  const toNewest = () => {
    show();
    scrolled.current?.focus();
  };
  const placeholder = jwtPayload.widget?.['placeholder'];
  const isNew = messages.length === 0 && chat.opening.value === 'no';
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too */}
      <section class="log" ref={scrolled} aria-label={words.conversation} tabIndex={0}>
        <div class="messages" ref={content}>
          <Greeting assistant={assistant} isBack={!isNew && chat.isContinued.value} />
          {chat.opening.value !== 'no' && <Opening chat={chat} />}
          {messages.map((message, at) => (
            <MessageView
              key={message.role === 'user' ? message.id : message.key}
              message={message}
              name={titleOf(session)}
              onRate={features.chatHistory ? (answer, given) => chat.rate(answer, given) : null}
              onAgain={isAnswering || at < messages.length - 1 ? null : askAgain}
              onOpen={setSource}
            />
          ))}
          {isNew && <Suggestions texts={assistant.suggestions} onAsk={suggested} />}
        </div>
      </section>
      <Announcements messages={messages} />
      <footer class="footer">
        {isAway.value && (
          <div class="newest">
            <IconButton shape={SHAPES.newest} label={words.toNewest} onPress={toNewest} />
          </div>
        )}
        {!isReached && (
          <p class="problem" role="status">
            {words.offline}
          </p>
        )}
        <Composer
          placeholder={typeof placeholder === 'string' ? asName(placeholder) : null}
          isAnswering={isAnswering}
          draft={draft}
          onAsk={(text) => chat.ask(text)}
          onStop={() => chat.stop()}
          onBegin={() => void AnswerView.prepare()}
          fieldRef={fieldRef}
        />
        {!features.chatHistory && <p class="aside">{words.notKept}</p>}
      </footer>
      {source !== null && (
        <PassageDialog
          api={api}
          spaceId={jwtPayload.spaceId}
          source={source}
          onClose={() => setSource(null)}
        />
      )}
    </>
  );
}

function Greeting(props: {
  readonly assistant: WidgetSession['assistant'];
  readonly isBack: boolean;
}) {
  const { assistant, isBack } = props;
  const words = useWords();
  if (isBack) return <p class="greeting">{words.welcomeBack}</p>;
  if (assistant.greeting === null || assistant.greeting === '') return null;
  return (
    <p class="greeting" dir="auto" lang={languageOf(assistant.locale)}>
      {assistant.greeting}
    </p>
  );
}

/** The language of what the link's maker wrote, where it is one. */
function languageOf(locale: string | null): string | undefined {
  try {
    return locale === null ? undefined : Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}

function Opening({ chat }: { readonly chat: Chat }) {
  const words = useWords();
  const { value } = chat.opening;
  if (value === 'no') return null;
  if (value === 'loading') return <p role="status">{words.loading}</p>;
  return (
    <div>
      <FailureNote failure={value} />
      <button type="button" class="button" onClick={() => chat.reopen()}>
        {words.tryAgain}
      </button>
    </div>
  );
}

function MessageView({
  message,
  ...rest
}: Omit<AnswerViewProps, 'answer'> & { readonly message: Message }) {
  const words = useWords();
  if (message.role === 'assistant')
    return <AnswerView answer={message satisfies Answer} {...rest} />;
  return (
    <article class="question" aria-label={words.you}>
      <p dir="auto">{message.text}</p>
    </article>
  );
}
