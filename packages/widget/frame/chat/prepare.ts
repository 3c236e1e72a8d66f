import type { Call } from '../api/api.ts';
import { OFFLINE } from '../api/failure.ts';
import type { HostPage } from '../host-page.ts';
import type { Message, Question } from './message.ts';

/** The service ignores all except the last 100 messages. */
const MAX_SENT_MESSAGES = 100;
/** More than the number of messages among which the service finds an edited question. */
const MAX_KNOWN_IDS = 200;

/** A question that is sent, edited or answered again. */
export interface Asking {
  readonly question: Question;
  /** The messages to send. The last one is the question. */
  readonly sent: readonly Message[];
  /** The messages of the conversation before the question is sent. */
  readonly shown: readonly Message[];
  readonly trigger: 'submit-message' | 'regenerate-message';
  /** ID of an edited question. */
  readonly messageId: string | undefined;
  /** `true` if the service stores the conversation. */
  readonly isStored: boolean;
  /** Settles when the stored messages of the chat are loaded. */
  readonly loaded: unknown;
}

export interface QuestionCall extends Call {
  /** Path for DELETE that stops the previous answer. Present if the connection to the service was lost during that answer. */
  readonly stopPath?: string | undefined;
}

/**
 * IDs of the messages that this page has shown, those of the newest messages last. An answer that the page has replaced can still be
 * stored, because an answer that was stopped before its first text replaces nothing.
 */
const knownIds = new Set<string>();

interface AskedChat {
  readonly chatId: string;
  readonly host: HostPage;
  readonly takeFiles?: ((question: Question, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** Returns the request for an answer when everything that it needs is known, or `null` if an attachment of the question has failed. */
export async function prepare(
  chat: AskedChat,
  asking: Asking,
  signal: AbortSignal,
): Promise<QuestionCall | null> {
  const { question, sent, shown, trigger, messageId, isStored } = asking;
  for (const { id } of shown) {
    if (id === null) continue;
    knownIds.delete(id);
    knownIds.add(id);
  }
  const { chatId, host } = chat;
  // Before `init`, the facts and tools of the page are unknown, and the page receives no messages.
  await host.initialized;
  // Otherwise the stored messages could already contain this question, which would then appear twice.
  await asking.loaded;
  if (!signal.aborted) {
    if (trigger === 'submit-message') host.send({ type: 'question' });
    // A question that was sent before keeps its own files.
    if (question.files === undefined && (await chat.takeFiles?.(question, signal)) === false) {
      host.send({ type: 'answer', state: 'stopped' });
      return null;
    }
    // The attach button may not be loaded yet. Files that are attached later belong to the next question.
    if (!signal.aborted) question.files ??= [];
  }
  const { context, tools } = host;
  const body = {
    id: chatId,
    messages: sent.slice(-MAX_SENT_MESSAGES).map(toUiMessage),
    trigger,
    messageId,
    knownMessageIds: [...knownIds].slice(-MAX_KNOWN_IDS),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    locale: document.documentElement.lang,
    // JSON omits members that are undefined.
    context: context.peek() ?? undefined,
    pageTools: tools,
    resumable: isStored,
  };
  const last = shown.at(-1);
  const isBroken = last?.role === 'assistant' && last.view.peek().failure === OFFLINE;
  // The service may not have noticed. An answer that the person requests again is the one to wait for.
  const isStoppable = isBroken && isStored && trigger === 'submit-message';
  const stopPath = isStoppable ? `/chat/${chatId}/stream` : undefined;
  return { method: 'POST', path: '/chat', body, stopPath };
}

/** Converts a message to a `UIMessage` of the AI SDK. */
function toUiMessage(message: Message): object {
  const { role, id } = message;
  const isQuestion = role === 'user';
  const text = isQuestion ? message.text : message.view.peek().text;
  const files = (isQuestion && message.files) || [];
  return { ...(id === null ? {} : { id }), role, parts: [{ type: 'text', text }, ...files] };
}
