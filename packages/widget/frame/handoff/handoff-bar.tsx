import type { Handoff } from '@gatehouse/contract';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Api } from '../api/api.ts';
import { type Failure, isFailure } from '../api/failure.ts';
import type { Chat } from '../chat/chat.ts';
import { fromStored } from '../chat/stored-messages.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { useLanguage } from '../components/strings-context.ts';
import { LiveRegion } from '../screen-reader/live-region.ts';
import { SpeechQueue, SpokenLines } from '../screen-reader/spoken-lines.ts';
import { isolate } from '../text/isolate.ts';
import { interpolate } from '../translations/strings.ts';
import { follow } from './follow.ts';
import { type HandoffStrings, handoffStrings } from './handoff-strings.ts';

interface Requested {
  readonly conversationId: string | null;
  readonly handoff: Handoff | null;
  readonly away: { readonly message: string | null } | null;
}

/** Asks for a person, shows who answers, and adds the messages of the team to the chat. */
export function HandoffBar({ api, chat }: { readonly api: Api; readonly chat: Chat }) {
  const strings = handoffStrings(useLanguage());
  const [away, setAway] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const speech = useMemo(() => new SpeechQueue(), []);
  const handoff = chat.handoff.value;
  const conversationId = chat.conversationId.value;
  const isOpen = handoff !== null && handoff.endedAt === null;
  useEffect(() => reopenAfterSilence(chat), [chat]);

  useEffect(() => {
    if (!isOpen || conversationId === null) return;
    const ended = new AbortController();
    void followInChat(api, chat, speech, conversationId, ended.signal);
    return () => ended.abort();
  }, [api, chat, speech, conversationId, isOpen]);

  const run = async (action: () => Promise<Failure | null>) => {
    if (isBusy) return;
    setBusy(true);
    setAway(null);
    setFailure(await action());
    setBusy(false);
  };
  const request = () =>
    run(async () => {
      chat.stop();
      const { chatId } = chat;
      const body = { id: chatId };
      const found = await api.read<Requested>({ method: 'POST', path: '/chat/handoff', body });
      // The person may have opened another conversation in the meantime.
      if (chat.chatId !== chatId) return null;
      if (isFailure(found)) return found;
      if (found.away !== null) setAway(found.away.message ?? strings.away);
      if (found.handoff !== null) {
        chat.conversationId.value = found.conversationId;
        chat.handoff.value = found.handoff;
      }
      return null;
    });
  const leave = () =>
    run(async () => {
      const path = `/chat/conversations/${conversationId}/handoff`;
      const response = await api.send({ method: 'DELETE', path });
      return isFailure(response) ? response : null;
    });

  return (
    <div class="handoff">
      <p class="aside" role="status" dir="auto">
        {away ?? statusOf(handoff, strings)}
      </p>
      <LiveRegion>
        <SpokenLines speech={speech} />
      </LiveRegion>
      {failure !== null && <FailureNote failure={failure} />}
      <button
        type="button"
        class="button"
        aria-disabled={isBusy}
        onClick={() => void (isOpen ? leave() : request())}
      >
        {isOpen ? strings.leave : strings.request}
      </button>
    </div>
  );
}

function statusOf(handoff: Handoff | null, strings: HandoffStrings): string {
  if (handoff === null) return '';
  const author = isolate(handoff.author ?? '');
  switch (handoff.state) {
    case 'requested':
      return strings.waiting;
    case 'active':
      return interpolate(strings.joined, { author });
    case 'ended':
      return strings.ended;
  }
}

/** Loads the conversation again when an answer ends without text, because another window has asked for a person. */
function reopenAfterSilence(chat: Chat): () => void {
  return chat.isAnswering.subscribe((isAnswering) => {
    const newest = chat.messages.peek().at(-1);
    if (isAnswering || newest?.role !== 'assistant') return;
    const { state, text } = newest.view.peek();
    if (state === 'finished' && text === '') chat.reopen();
  });
}

/** Updates the chat until the handoff ends. Announces the messages of the team. */
async function followInChat(
  api: Api,
  chat: Chat,
  speech: SpeechQueue,
  conversationId: string,
  signal: AbortSignal,
): Promise<void> {
  const isComplete = await follow(
    api,
    conversationId,
    (update) => {
      if (update.type === 'handoff') {
        chat.handoff.value = update.handoff;
        return;
      }
      const message = fromStored(update.message);
      const known = chat.messages.peek();
      if (message.role === 'user' || known.some(({ id }) => id === message.id)) return;
      chat.messages.value = [...known, message];
      speech.say([`${message.author}: ${message.view.peek().text}`]);
    },
    signal,
  );
  // Messages may have arrived while the connection was lost.
  if (!isComplete && !signal.aborted) chat.reopen();
}
