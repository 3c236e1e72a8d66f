import type { WidgetSession } from '@gatehouse/contract';
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isQuestion } from '../../../protocol/messages.ts';
import type { Api } from '../../api/api.ts';
import { OFFLINE } from '../../api/failure.ts';
import type { Chat } from '../../chat/chat.ts';
import type { Draft } from '../../chat/draft.ts';
import type { Answer, Message, Question, Source } from '../../chat/message.ts';
import { LiveRegion } from '../../screen-reader/live-region.ts';
import { assistantTitle, shorten } from '../../session/appearance.ts';
import { isolate } from '../../text/isolate.ts';
import { FailureNote } from '../failure-note.tsx';
import { IconButton } from '../icon.tsx';
import { lazy } from '../lazy.ts';
import { PlainQuestion, type QuestionProps } from '../question/plain-question.tsx';
import { useStrings } from '../strings-context.ts';
import { Composer } from './composer.tsx';
import { type AnswerProps, PlainAnswer } from './plain-answer.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

const DOWN_ICON = 'M12 5v14M5 12l7 7 7-7';
/** Maximum number of suggestions. The service limits a bot to 10 suggestions, but does not limit a link. */
const MAX_SUGGESTIONS = 10;

/** Loads the code that is needed after the first question. It loads the code of rarer parts. */
export const loadAnswerParts = () => import('../answer/index.ts');
const AnswerView = lazy(() => loadAnswerParts().then((module) => module.AnswerView), PlainAnswer);
const QuestionView = lazy(
  () => loadAnswerParts().then((module) => module.QuestionView),
  PlainQuestion,
);
const HandoffBar = lazy(() => loadAnswerParts().then((module) => module.loadHandoffBar()));
const AttachBar = lazy(() => import('../attachments/index.ts').then((module) => module.AttachBar));
const EarlierMessages = lazy(() => loadAnswerParts().then((module) => module.EarlierMessages));
const Announcements = lazy(() => loadAnswerParts().then((module) => module.Announcements));
const PassageDialog = lazy(() => loadAnswerParts().then((module) => module.PassageDialog));

export function ConversationView(props: {
  readonly session: WidgetSession;
  readonly chat: Chat;
  readonly api: Api;
  readonly draft: Draft;
  readonly isReachable: boolean;
  /** Moves the focus to the text field. Call this before the focused element is removed. */
  readonly focus: () => void;
  /** Receives the text field. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
}) {
  const { session, chat, api, draft, isReachable, focus, field } = props;
  const { assistant, jwtPayload, features } = session;
  const strings = useStrings();
  const { scroller, content, isScrolledUp, scrollToEnd } = useStickToBottom();
  const [source, setSource] = useState<Source | null>(null);
  const messages = chat.messages.value;
  const isAnswering = chat.isAnswering.value;
  const isHandedOver = chat.handoff.value?.endedAt === null;
  const newest = messages.at(-1);
  useEffect(scrollToEnd, [newest]);

  const regenerate = (answer: Answer) => {
    chat.regenerate(answer);
    focus();
  };
  const edit = (question: Question, text: string) => {
    chat.edit(question, text);
    focus();
  };
  const stop = () => chat.stop();
  const askSuggestion = (text: string) => {
    chat.ask(text);
    focus();
  };
  const scrollToNewest = () => {
    scrollToEnd();
    scroller.current?.focus();
  };
  const placeholder = jwtPayload.widget?.['placeholder'];
  const load = chat.loadState.value !== 'idle' && <LoadState chat={chat} focus={focus} />;
  // In this case, `load` takes the place of the failure and of the button of the answer.
  const isReloading =
    !!load &&
    newest?.role === 'assistant' &&
    newest.id !== null &&
    newest.view.peek().failure === OFFLINE;
  const isNew = !newest && !load;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section class="log" ref={scroller} aria-label={strings.conversation} tabIndex={0}>
        <div class="messages" ref={content}>
          {(isNew || newest) && (
            <Greeting assistant={assistant} isBack={!isNew && chat.isContinued.value} />
          )}
          {!isReloading && load}
          {chat.earlier.value && <EarlierMessages chat={chat} />}
          {messages.map((message, at) => (
            <MessageView
              key={message.role === 'user' ? message.id : message.key}
              message={message}
              name={assistantTitle(session)}
              canRate={features.chatHistory}
              isReloading={isReloading}
              onRegenerate={
                // During a handoff, only a message that was not sent is followed by an answer without an ID.
                isAnswering || message !== newest || (isHandedOver && message.id)
                  ? null
                  : regenerate
              }
              onEdit={chat.canEdit(at) ? edit : null}
              api={api}
              host={chat.host}
              onOpen={setSource}
              onStop={stop}
              onAsk={askSuggestion}
              focus={focus}
            />
          ))}
          {isReloading && load}
          {isNew && <Suggestions texts={assistant.suggestions} onAsk={askSuggestion} />}
        </div>
      </section>
      <LiveRegion>{newest && <Announcements newest={newest} />}</LiveRegion>
      <footer class="footer">
        {isScrolledUp.value && (
          <div class="newest">
            <IconButton shape={DOWN_ICON} label={strings.toNewest} onPress={scrollToNewest} />
          </div>
        )}
        {!isReachable && (
          <p class="problem" role="status">
            {strings.offline}
          </p>
        )}
        {features.handoff && <HandoffBar key={chat.chatId} api={api} chat={chat} />}
        <Composer
          placeholder={typeof placeholder === 'string' ? shorten(placeholder) : null}
          isAnswering={isAnswering}
          draft={draft}
          onAsk={(text) => chat.ask(text)}
          onStop={stop}
          onStartTyping={() => void AnswerView.preload()}
          field={field}
        >
          {features.attachments && (
            <AttachBar
              key={chat.chatId}
              api={api}
              chat={chat}
              draft={draft}
              language={document.documentElement.lang}
            />
          )}
        </Composer>
        {!features.chatHistory && <p class="aside">{strings.notSaved}</p>}
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
  const strings = useStrings();
  if (isBack) return <p class="greeting">{strings.welcomeBack}</p>;
  if (assistant.greeting === null || assistant.greeting === '') return null;
  return (
    <p class="greeting" dir="auto" lang={languageOf(assistant.locale)}>
      {isolate(assistant.greeting)}
    </p>
  );
}

/** Returns the canonical form of a BCP 47 tag, or `undefined` if the tag is not valid. */
function languageOf(locale: string | null): string | undefined {
  try {
    return locale === null ? undefined : Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}

function LoadState({ chat, focus }: { readonly chat: Chat; readonly focus: () => void }) {
  const strings = useStrings();
  const { value } = chat.loadState;
  if (value === 'idle') return null;
  if (value === 'loading') return <p role="status">{strings.loading}</p>;
  const retry = () => {
    chat.reopen();
    focus();
  };
  return (
    <div>
      <FailureNote failure={value} />
      <button type="button" class="button" onClick={retry}>
        {strings.tryAgain}
      </button>
    </div>
  );
}

function MessageView({
  message,
  ...rest
}: Omit<AnswerProps & QuestionProps, 'answer' | 'question'> & { readonly message: Message }) {
  if (message.role === 'assistant')
    return <AnswerView answer={message satisfies Answer} {...rest} />;
  return <QuestionView question={message} onEdit={rest.onEdit} />;
}

/** Suggested first questions. Omits suggestions that the service would reject. */
function Suggestions(props: {
  readonly texts: readonly string[];
  readonly onAsk: (text: string) => void;
}) {
  const strings = useStrings();
  const texts = props.texts.filter(isQuestion).slice(0, MAX_SUGGESTIONS);
  if (texts.length === 0) return null;
  return (
    <section class="suggestions" aria-label={strings.suggestions}>
      <ul>
        {texts.map((text, at) => (
          <li key={at}>
            <button type="button" dir="auto" onClick={() => props.onAsk(text)}>
              {isolate(text)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
