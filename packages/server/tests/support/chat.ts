import assert from 'node:assert/strict';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import type { Client } from './client.ts';
import { makeLink } from './provision.ts';

/** What our metadata of an answer says. */
export interface AnswerMetadata {
  readonly conversationId?: string | null;
  readonly state?: string;
  readonly code?: string;
  readonly retriable?: boolean;
}
export type Message = UIMessage<AnswerMetadata>;

/** A widget session of a new link, and what its exchange said. */
export interface Opened {
  readonly as: string;
  readonly linkId: string;
  readonly linkToken: string;
  readonly conversationId: string | null;
}

/** Makes a link and exchanges it, as a page does that opens it. */
export async function openLink(client: Client, session: string, link: object): Promise<Opened> {
  const { id, token } = await makeLink(client, session, link);
  return { linkId: id, linkToken: token, ...(await exchange(client, token)) };
}

/** Exchanges a link, once more maybe. */
export async function exchange(client: Client, linkToken: string) {
  const answer = await client('/assistant-link/exchange', { body: { linkToken } });
  assert.equal(answer.status, 200, answer.text);
  const { accessToken, conversationId } = answer.json;
  return { as: String(accessToken), conversationId: conversationId as string | null };
}

/** A chat as `useChat` holds it, over the AI SDK's own transport. */
export class Chat {
  readonly #transport: DefaultChatTransport<Message>;
  readonly id: string;
  messages: Message[] = [];
  /** The errors of the last answer. */
  errors: string[] = [];
  /** Is given an answer each time that more of it has come. */
  onGrowth: (answer: Message) => void = () => {};
  #count = 0;

  constructor(url: string, as: string, id = 'chat-of-a-browser') {
    this.id = id;
    this.#transport = new DefaultChatTransport<Message>({
      api: `${url}/chat`,
      headers: { authorization: `Bearer ${as}` },
    });
  }

  /** Asks, and gives the answer when it has ended. */
  async ask(text: string, signal?: AbortSignal): Promise<Message> {
    this.#count += 1;
    const id = `question-${this.#count}`;
    this.messages.push({ id, role: 'user', parts: [{ type: 'text', text }] });
    return this.#send('submit-message', undefined, signal);
  }

  /** Has the last question, or the one before an answer, answered again. */
  async regenerate(messageId?: string): Promise<Message> {
    const at =
      messageId === undefined
        ? this.messages.length - 1
        : this.messages.findIndex(({ id }) => id === messageId);
    this.messages = this.messages.slice(0, this.messages[at]?.role === 'assistant' ? at : at + 1);
    return this.#send('regenerate-message', messageId);
  }

  /** Changes a question and asks it instead. */
  async edit(messageId: string, text: string): Promise<Message> {
    const at = this.messages.findIndex(({ id }) => id === messageId);
    this.messages = this.messages.slice(0, at);
    this.messages.push({ id: messageId, role: 'user', parts: [{ type: 'text', text }] });
    return this.#send('submit-message', messageId);
  }

  async #send(
    trigger: 'submit-message' | 'regenerate-message',
    messageId?: string,
    signal?: AbortSignal,
  ): Promise<Message> {
    this.errors = [];
    const stream = await this.#transport.sendMessages({
      chatId: this.id,
      messages: this.messages,
      trigger,
      messageId,
      abortSignal: signal,
    });
    let last: Message | undefined;
    const onError = (error: unknown) => void this.errors.push((error as Error).message);
    for await (const message of readUIMessageStream<Message>({ stream, onError })) {
      last = message;
      this.onGrowth(message);
    }
    assert.ok(last, 'an answer has a message');
    this.messages.push(last);
    return last;
  }
}

/** The text of a message. */
export function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The names of the documents that a message cites. */
export function citedBy({ parts }: Pick<Message, 'parts'>): string[] {
  return parts.flatMap((part) => (part.type === 'source-document' ? [part.title] : []));
}
