import assert from 'node:assert/strict';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import type { Client } from '../http/client.ts';
import { makeLink } from '../provision.ts';

export interface AnswerMetadata {
  readonly conversationId?: string | null;
  readonly state?: string;
  readonly code?: string;
  readonly retriable?: boolean;
}
export type Message = UIMessage<AnswerMetadata>;

export interface Opened {
  readonly as: string;
  readonly linkId: string;
  readonly linkToken: string;
  readonly conversationId: string | null;
}

export async function openLink(client: Client, session: string, link: object): Promise<Opened> {
  const { id, token } = await makeLink(client, session, link);
  return { linkId: id, linkToken: token, ...(await exchange(client, token)) };
}

export async function exchange(client: Client, linkToken: string) {
  const answer = await client('/assistant-link/exchange', { body: { linkToken } });
  assert.equal(answer.status, 200, answer.text);
  const { accessToken, conversationId } = answer.json;
  return { as: String(accessToken), conversationId: conversationId as string | null };
}

export class Chat {
  readonly #transport: DefaultChatTransport<Message>;
  readonly id: string;
  messages: Message[] = [];
  errors: string[] = [];
  /** Called with the partial answer whenever more of it arrives. */
  onGrowth: (answer: Message) => void = () => {};
  #count = 0;

  /** @param body additional members of each question. */
  constructor(url: string, as: string, id = 'chat-of-a-browser', body: object = {}) {
    this.id = id;
    this.#transport = new DefaultChatTransport<Message>({
      api: `${url}/chat`,
      headers: { authorization: `Bearer ${as}` },
      body,
    });
  }

  async ask(
    text: string,
    signal?: AbortSignal,
    attachments: Message['parts'] = [],
  ): Promise<Message> {
    this.#count += 1;
    const id = `question-${this.#count}`;
    this.messages.push({ id, role: 'user', parts: [{ type: 'text', text }, ...attachments] });
    return this.#send('submit-message', undefined, signal);
  }

  /** Returns the answer in progress, as `useChat({ resume: true })` requests it, or `null` if there is none. */
  resume() {
    return this.#transport.reconnectToStream({ chatId: this.id });
  }

  /** Regenerates the answer to the last question, or the given answer. */
  async regenerate(messageId?: string): Promise<Message> {
    const index =
      messageId === undefined
        ? this.messages.length - 1
        : this.messages.findIndex(({ id }) => id === messageId);
    this.messages = this.messages.slice(
      0,
      this.messages[index]?.role === 'assistant' ? index : index + 1,
    );
    return this.#send('regenerate-message', messageId);
  }

  async edit(messageId: string, text: string): Promise<Message> {
    const index = this.messages.findIndex(({ id }) => id === messageId);
    this.messages = this.messages.slice(0, index);
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
    assert.ok(last, 'the stream contains no message');
    this.messages.push(last);
    return last;
  }
}

export function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the file names of the cited documents. */
export function citedBy({ parts }: Pick<Message, 'parts'>): string[] {
  return parts.flatMap((part) => (part.type === 'source-document' ? [part.filename ?? ''] : []));
}
