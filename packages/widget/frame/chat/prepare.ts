import type { Call } from '../api/api.ts';
import type { HostPage } from '../host-page.ts';
import type { Message, Question } from './message.ts';

/** The service ignores all except the last 100 messages. */
const MAX_SENT_MESSAGES = 100;

/** A question that is sent, edited or answered again. */
export interface Asking {
  readonly question: Question;
  /** The messages to send. The last one is the question. */
  readonly sent: readonly Message[];
  readonly trigger: 'submit-message' | 'regenerate-message';
  /** ID of an edited question. */
  readonly messageId: string | undefined;
  /** `true` if the service stores the conversation. */
  readonly isStored: boolean;
  /** Settles when the stored messages of the chat are loaded. */
  readonly loaded: unknown;
}

interface AskedChat {
  readonly chatId: string;
  readonly host: HostPage;
  readonly takeFiles?: ((question: Question, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Returns the request for an answer when everything that it needs is known. */
export async function prepare(chat: AskedChat, asking: Asking, signal: AbortSignal): Promise<Call> {
  const { question, sent, trigger, messageId, isStored } = asking;
  const { chatId, host } = chat;
  // Before `init`, the facts and tools of the page are unknown, and the page receives no messages.
  await host.initialized;
  // Otherwise the stored messages could already contain this question, which would then appear twice.
  await asking.loaded;
  if (trigger === 'submit-message' && !signal.aborted) {
    host.send({ type: 'question' });
    // An edited question keeps its own files.
    if (messageId === undefined) await chat.takeFiles?.(question, signal);
  }
  const { context, tools } = host;
  const body = {
    id: chatId,
    messages: sent.slice(-MAX_SENT_MESSAGES).map(toUiMessage),
    trigger,
    messageId,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    locale: document.documentElement.lang,
    // JSON omits members that are undefined.
    context: context.peek() ?? undefined,
    pageTools: tools,
    resumable: isStored,
  };
  return { method: 'POST', path: '/chat', body };
}

/** Converts a message to a `UIMessage` of the AI SDK. */
function toUiMessage(message: Message): object {
  const { role, id } = message;
  const isQuestion = role === 'user';
  const text = isQuestion ? message.text : message.view.peek().text;
  const files = (isQuestion && message.files) || [];
  return { ...(id === null ? {} : { id }), role, parts: [{ type: 'text', text }, ...files] };
}
