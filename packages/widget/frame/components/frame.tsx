import type { WidgetSession } from '@gatehouse/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../api/api.ts';
import type { Chat } from '../chat/chat.ts';
import type { Draft } from '../chat/draft.ts';
import type { Host } from '../host-page.ts';
import { titleOf } from '../session/appearance.ts';
import type { LinkSession } from '../session/link-session.ts';
import { loginTarget } from '../session/login-url.ts';
import { Talk } from './conversation/conversation-view.tsx';
import { Header } from './header.tsx';
import { later } from './lazy.ts';
import { Notice } from './notice.tsx';
import { useWords } from './strings-context.ts';

const HistoryDialog = later(() =>
  import('./history-dialog.tsx').then((room) => room.HistoryDialog),
);

export interface FrameProps {
  readonly link: LinkSession;
  readonly host: Host;
  readonly api: Api;
  readonly chat: Chat;
  readonly draft: Draft;
}

/** The whole frame: a talk where the link is open, and else why there is none. */
export function Frame(props: FrameProps) {
  const { link, host } = props;
  const words = useWords();
  const view = link.view.value;
  const mode = host.mode.value;
  const onClose = mode === 'bubble' || mode === 'panel' ? () => host.tell({ type: 'close' }) : null;
  if (view.kind === 'open')
    // Whoever comes in place of another finds nothing open, and nothing typed.
    return <OpenFrame key={view.person} session={view.session} {...props} onClose={onClose} />;
  const signIn = view.kind === 'over' ? loginTarget(view.loginUrl, host.origin) : null;
  return (
    <>
      <Header title={words.assistant} onNew={null} onHistory={null} onClose={onClose} />
      <main>
        <Notice view={view} signIn={signIn} onTryNow={() => void link.ask()} />
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
  const field = useRef<HTMLTextAreaElement | null>(null);
  const focus = () => {
    // On a phone the keyboard would hide what there is to read.
    if (!matchMedia('(pointer: coarse)').matches) field.current?.focus();
  };
  const isShown = host.isShown.value && host.mode.value !== 'inline';
  useEffect(() => {
    if (!isShown) return;
    if (window.parent === window || document.hasFocus()) return focus();
    // The embedding page keeps the focus unless it moves it here: a person may be typing there. Another
    // process moves it, so it can arrive after the message `shown`.
    window.addEventListener('focus', focus, { once: true });
    return () => window.removeEventListener('focus', focus);
  }, [isShown]);
  const startNew = () => {
    chat.startNew();
    focus();
  };

  return (
    <>
      <Header
        title={titleOf(session)}
        onNew={chat.messages.value.length === 0 ? null : startNew}
        onHistory={chatHistory ? () => setHistoryOpen(true) : null}
        onClose={onClose}
      />
      <main>
        <Talk
          session={session}
          chat={chat}
          api={api}
          draft={draft}
          isReached={link.isReached.value}
          focus={focus}
          fieldRef={(element) => {
            field.current = element;
          }}
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
