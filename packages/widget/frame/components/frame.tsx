import type { WidgetSession } from '@gatehouse/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../api/api.ts';
import type { Chat } from '../chat/chat.ts';
import type { Draft } from '../chat/draft.ts';
import type { HostPage } from '../host-page.ts';
import { assistantTitle, logoOf } from '../session/appearance.ts';
import type { LinkSession, LinkView } from '../session/link-session.ts';
import { resolveLoginUrl } from '../session/login-url.ts';
import { ConversationView, loadAnswerParts } from './conversation/conversation-view.tsx';
import { CLOSE_ICON, IconButton } from './icon.tsx';
import { lazy } from './lazy.ts';
import { useStrings } from './strings-context.ts';

const NEW_ICON = 'M12 5v14M5 12h14';
const HISTORY_ICON = 'M12 7v5l3 2M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4';

const HistoryDialog = lazy(() => loadAnswerParts().then((module) => module.loadHistoryDialog()));

export interface FrameProps {
  readonly link: LinkSession;
  readonly host: HostPage;
  readonly api: Api;
  readonly chat: Chat;
  readonly draft: Draft;
}

/** The root component. Shows the conversation if the link is open, and otherwise a notice with the reason. */
export function Frame(props: FrameProps) {
  const { link, host } = props;
  const strings = useStrings();
  const view = link.view.value;
  const mode = host.mode.value;
  const onClose = mode === 'bubble' || mode === 'panel' ? () => host.send({ type: 'close' }) : null;
  if (view.kind === 'open')
    // The key resets all state, such as open dialogs, when the user changes.
    return <OpenFrame key={view.person} session={view.session} {...props} onClose={onClose} />;
  const signIn = view.kind === 'ended' ? resolveLoginUrl(view.loginUrl, host.origin) : null;
  return (
    <>
      <Header
        title={strings.assistant}
        logo={null}
        onNew={null}
        onHistory={null}
        onClose={onClose}
      />
      <main>
        <Notice view={view} signIn={signIn} onRetry={() => void link.refresh()} />
      </main>
    </>
  );
}

function OpenFrame(
  props: FrameProps & {
    readonly session: WidgetSession;
    readonly onClose: (() => void) | null;
  },
) {
  const { session, link, host, api, chat, draft, onClose } = props;
  const { chatHistory } = session.features;
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = () => {
    // On a touch screen, focus opens a keyboard that would cover the conversation.
    if (!matchMedia('(pointer: coarse)').matches) field.current?.focus();
  };
  const asked = host.asked.value;
  const needsFocus = host.isShown.value && (asked > 0 || host.mode.value !== 'inline');
  useEffect(() => {
    if (!needsFocus) return;
    if (window.parent === window || document.hasFocus()) return focus();
    // Take the focus only after the embedding page has moved the focus into the frame, because the user may be
    // typing in the page. The focus can arrive after the message `shown`, and even after the user has pressed Tab.
    const takeFocus = () => document.activeElement === document.body && focus();
    window.addEventListener('focus', takeFocus, { once: true });
    return () => window.removeEventListener('focus', takeFocus);
  }, [needsFocus, asked]);
  const startNew = () => {
    chat.startNew();
    focus();
  };

  return (
    <>
      <Header
        title={assistantTitle(session)}
        logo={logoOf(session)}
        onNew={chat.messages.value.length === 0 ? null : startNew}
        onHistory={chatHistory ? () => setHistoryOpen(true) : null}
        onClose={onClose}
      />
      <main>
        <ConversationView
          session={session}
          chat={chat}
          api={api}
          draft={draft}
          isReachable={link.isReachable.value}
          focus={focus}
          field={field}
        />
      </main>
      {isHistoryOpen && (
        <HistoryDialog
          api={api}
          current={chat.conversationId.value}
          onOpen={(id) => {
            setHistoryOpen(false);
            if (id !== chat.conversationId.peek()) void chat.open(id);
          }}
          onDeleted={(id) => {
            if (id === chat.conversationId.peek()) chat.startNew();
          }}
          onClose={() => setHistoryOpen(false)}
        />
      )}
    </>
  );
}

/** The assistant's name and the actions of the conversation. An action that is `null` is not available. */
function Header(props: {
  readonly title: string;
  readonly logo: string | null;
  readonly onNew: (() => void) | null;
  readonly onHistory: (() => void) | null;
  readonly onClose: (() => void) | null;
}) {
  const { title, logo, onNew, onHistory, onClose } = props;
  const strings = useStrings();
  return (
    <header class="header">
      {logo && (
        <img
          key={logo}
          class="logo"
          src={logo}
          alt={title}
          // Hides the browser's icon for broken images.
          onError={(event) => {
            event.currentTarget.hidden = true;
          }}
        />
      )}
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {onHistory && (
        <IconButton shape={HISTORY_ICON} label={strings.conversations} onPress={onHistory} />
      )}
      {onNew && <IconButton shape={NEW_ICON} label={strings.newConversation} onPress={onNew} />}
      {onClose && <IconButton shape={CLOSE_ICON} label={strings.close} onPress={onClose} />}
    </header>
  );
}

function Notice(props: {
  readonly view: Exclude<LinkView, { kind: 'open' }>;
  /** URL of the sign-in page, or `null` if the link has no such URL. */
  readonly signIn: string | null;
  readonly onRetry: () => void;
}) {
  const { view, signIn, onRetry } = props;
  const strings = useStrings();
  if (view.kind === 'opening')
    return (
      <div class="notice opening" role="status">
        <span class="dots" aria-hidden="true" />
        <span class="visually-hidden">{strings.opening}</span>
      </div>
    );
  if (view.kind === 'waiting') {
    const isOffline = view.reason === 'offline';
    return (
      <section class="notice" role="status">
        <h2>{isOffline ? strings.noConnection : strings.busy}</h2>
        <p>{isOffline ? strings.noConnectionWhy : strings.busyWhy}</p>
        <button type="button" class="button" onClick={onRetry}>
          {strings.retryNow}
        </button>
      </section>
    );
  }
  const { end } = view;
  const nextStep = signIn === null ? strings.askForNewLink : strings.signInToContinue;
  return (
    <section class="notice" role="alert">
      <h2>{strings[end]}</h2>
      <p>{end === 'unknown' ? strings.unknownWhy : `${strings[`${end}Why`]} ${nextStep}`}</p>
      {signIn !== null && end !== 'unknown' && (
        <a class="button" href={signIn} target="_top" rel="noreferrer">
          {strings.signIn}
        </a>
      )}
    </section>
  );
}
