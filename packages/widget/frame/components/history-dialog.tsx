import type { Conversation } from '@gatehouse/contract';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../api/api.ts';
import { type Failure, isFailure } from '../api/failure.ts';
import { downloadConversation } from '../chat/download.ts';
import { isolate } from '../text/isolate.ts';
import { DOWNLOAD } from '../translations/download.ts';
import { interpolate } from '../translations/strings.ts';
import { Dialog } from './dialog.tsx';
import { FailureNote } from './failure-note.tsx';
import { IconButton } from './icon.tsx';
import { useStrings } from './strings-context.ts';

const DOWNLOAD_ICON = 'M12 4v11M7 10l5 5 5-5M5 20h14';
const DELETE = 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13';

interface ConversationPage {
  readonly items: readonly Conversation[];
  readonly next: string | null;
}

export function HistoryDialog(props: {
  readonly api: Api;
  readonly current: string | null;
  readonly onOpen: (id: string) => void;
  readonly onDeleted: (id: string) => void;
  readonly onClose: () => void;
}) {
  const { api, current, onOpen, onDeleted, onClose } = props;
  const strings = useStrings();
  const [listed, setListed] = useState<ConversationPage | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = async (before: ConversationPage | null) => {
    const after = before?.next ? `&after=${encodeURIComponent(before.next)}` : '';
    const path = `/chat/conversations?limit=20${after}`;
    const page = await api.read<ConversationPage>({ method: 'GET', path });
    setFailure(isFailure(page) ? page : null);
    if (isFailure(page)) return;
    setListed({ items: [...(before?.items ?? []), ...page.items], next: page.next });
    // The “Show more” button has the focus and is about to be removed.
    if (before !== null && page.next === null) list.current?.focus();
  };
  useEffect(() => void load(null), []);
  const remove = async (id: string) => {
    const response = await api.send({ method: 'DELETE', path: `/chat/conversations/${id}` });
    if (isFailure(response)) return setFailure(response);
    onDeleted(id);
    // The focused element is about to be removed.
    list.current?.focus();
    setListed((list) => list && { ...list, items: list.items.filter((item) => item.id !== id) });
  };

  const download = async ({ id, title }: Conversation) => {
    setFailure(await downloadConversation(api, id, title ?? strings.untitled, strings));
  };

  return (
    <Dialog title={strings.conversations} onClose={onClose}>
      {listed === null && failure === null && <p role="status">{strings.loading}</p>}
      {failure !== null && <FailureNote failure={failure} />}
      {listed?.items.length === 0 && <p>{strings.noConversations}</p>}
      <ul class="conversations" ref={list} tabIndex={-1}>
        {listed?.items.map((conversation) => (
          <Entry
            key={conversation.id}
            conversation={conversation}
            isCurrent={conversation.id === current}
            onOpen={() => onOpen(conversation.id)}
            onDelete={() => void remove(conversation.id)}
            onDownload={() => void download(conversation)}
          />
        ))}
      </ul>
      {listed?.next && (
        <button type="button" class="button" onClick={() => void load(listed)}>
          {strings.more}
        </button>
      )}
    </Dialog>
  );
}

function Entry(props: {
  readonly conversation: Conversation;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
  readonly onDownload: () => void;
}) {
  const { conversation, isCurrent, onOpen, onDelete, onDownload } = props;
  const strings = useStrings();
  const [isConfirming, setConfirming] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const wasConfirming = useRef(false);
  useLayoutEffect(() => {
    // The focused button was replaced, so focus the new button.
    if (isConfirming !== wasConfirming.current)
      item.current
        ?.querySelector<HTMLElement>(isConfirming ? 'p' : '.icon-button:last-child')
        ?.focus();
    wasConfirming.current = isConfirming;
  }, [isConfirming]);
  const title = isolate(conversation.title ?? strings.untitled);
  if (isConfirming)
    return (
      <li class="confirm" ref={item}>
        <p tabIndex={-1}>{strings.confirmDelete}</p>
        <button type="button" class="button danger" onClick={onDelete}>
          {strings.delete}
        </button>
        <button type="button" class="button quiet" onClick={() => setConfirming(false)}>
          {strings.cancel}
        </button>
      </li>
    );
  return (
    <li ref={item}>
      <button
        type="button"
        class="conversation"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
      >
        <span dir="auto">{title}</span>
        <Time at={conversation.updatedAt} />
      </button>
      <IconButton
        shape={DOWNLOAD_ICON}
        label={interpolate(DOWNLOAD[document.documentElement.lang] ?? DOWNLOAD['en'] ?? '', {
          title,
        })}
        onPress={onDownload}
      />
      <IconButton
        shape={DELETE}
        label={interpolate(strings.deleteConversation, { title })}
        onPress={() => setConfirming(true)}
      />
    </li>
  );
}

function Time({ at }: { readonly at: string | null }) {
  if (at === null) return null;
  const { lang } = document.documentElement;
  const text = new Date(at).toLocaleString(lang, { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={at}>{text}</time>;
}
