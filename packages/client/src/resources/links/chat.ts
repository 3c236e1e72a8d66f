import { ConnectionError } from '../../errors.ts';
import { parseData, readMessages } from '../../http/messages.ts';
import { stoppable } from '../../http/stoppable.ts';
import { type HandoffUpdate, readUpdates } from '../../http/updates.ts';
import type { RequestOptions, StreamOptions, UploadOptions } from '../../options.ts';
import type {
  Attachment,
  ChatRequest,
  Feedback,
  HandoffRequest,
  KeptMessage,
  SourcePart,
  ToolCallResult,
  ToolDecision,
} from '../../types.ts';
import { type FileSource, multipart } from '../../uploads/multipart.ts';
import { Resource } from '../resource.ts';

/** A part of an answer in the UI message stream of the AI SDK. */
export interface ChatPart {
  /** `start`, `text-start`, `text-delta`, `source-document`, `text-end`, `finish`, `error` and others. */
  readonly type: string;
  /** Text of a `text-delta`. */
  readonly delta?: string;
  /** Message of an `error`. */
  readonly errorText?: string;
  /** Title of the document of a `source-document`. */
  readonly title?: string;
  /** Call of a tool, in parts whose type starts with `tool-`. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The cited passage of a `source-document`, or how to handle a `tool-input-available`. */
  readonly providerMetadata?: {
    readonly gatehouse: Readonly<Partial<SourcePart['providerMetadata']['gatehouse']>> & {
      readonly runsIn?: string;
      readonly consent?: boolean;
    };
  };
  readonly messageId?: string;
  readonly messageMetadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** A file for a chat. */
export interface NewAttachment {
  readonly file: FileSource;
  /** Default: the name of a `File`. The extension determines the format. */
  readonly fileName?: string | undefined;
}

/** Timeout of an upload in milliseconds. */
const UPLOAD_TIMEOUT_MS = 120_000;

/** Questions to the assistant. Requires a widget session. */
export class Chat extends Resource {
  /**
   * Asks the assistant and yields the parts of the answer as they arrive. The question is sent when the iteration
   * starts. It is never repeated, because it could be answered twice.
   *
   * @example
   * for await (const part of assistant.chat.ask('How long does a refund take?')) {
   *   if (part.type === 'text-delta') console.log(part.delta);
   * }
   */
  ask(
    question: string | ChatRequest,
    options?: StreamOptions,
  ): AsyncGenerator<ChatPart, void, undefined> {
    const body =
      typeof question === 'string'
        ? { messages: [{ role: 'user' as const, parts: [{ type: 'text', text: question }] }] }
        : question;
    return stoppable(options, (own) =>
      readParts(() => this.api.open('POST /chat', { body }, own), own),
    );
  }

  /**
   * Yields the parts of the answer in progress. Yields nothing if the chat has none.
   *
   * @example
   * for await (const part of assistant.chat.resume(conversationId)) console.log(part.type);
   */
  resume(chatId: string, options?: StreamOptions): AsyncGenerator<ChatPart, void, undefined> {
    const input = { params: [chatId] } as const;
    return stoppable(options, (own) =>
      readParts(() => this.api.open('GET /chat/{chatId}/stream', input, own), own),
    );
  }

  /**
   * Stops the answer in progress to a question with `resumable: true`. Does nothing if there is none.
   *
   * @example
   * await assistant.chat.stop(conversationId);
   */
  stop(chatId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /chat/{chatId}/stream', { params: [chatId] }, options);
  }

  /**
   * Uploads a file whose text the assistant uses in this chat only. Send `part` of the result in the next message of the chat.
   *
   * @param chatId ID of the chat or of the conversation.
   * @example
   * const file = new Blob(['Invoice 1001. Total: 40 euros.']);
   * const { part } = await assistant.chat.attach('chat-1', { file, fileName: 'invoice.txt' });
   * const parts = [{ type: 'text', text: 'What is the total?' }, part];
   * const answer = assistant.chat.ask({ id: 'chat-1', messages: [{ role: 'user', parts }] });
   * for await (const { delta } of answer) if (delta !== undefined) console.log(delta);
   */
  attach(
    chatId: string,
    { file, fileName = (file as Partial<File>).name }: NewAttachment,
    options?: UploadOptions,
  ): Promise<Attachment> {
    if (fileName === undefined) throw new TypeError('fileName is missing');
    const settings = { onProgress: options?.onProgress, hasGlobalFetch: this.api.hasGlobalFetch };
    const content = multipart(file, fileName, {}, settings);
    const input = { params: [chatId], content, timeout: UPLOAD_TIMEOUT_MS } as const;
    return this.api.send('POST /chat/{chatId}/attachments', input, options);
  }

  /**
   * Removes an attachment that no message refers to.
   *
   * @example
   * const file = new Blob(['A draft.']);
   * const { id } = await assistant.chat.attach('chat-1', { file, fileName: 'draft.txt' });
   * await assistant.chat.detach('chat-1', id);
   */
  detach(chatId: string, attachmentId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [chatId, attachmentId] } as const;
    return this.api.send('DELETE /chat/{chatId}/attachments/{attachmentId}', input, options);
  }

  /**
   * Allows or denies a tool call for which the assistant needs the consent of the person.
   *
   * @param callId `approvalId` of a part with the type `tool-approval-request`.
   * @example
   * for await (const part of assistant.chat.ask('Cancel my order 1001.')) {
   *   if (part.type === 'tool-approval-request')
   *     await assistant.chat.decide(String(part['approvalId']), 'allow');
   * }
   */
  decide(callId: string, decision: ToolDecision, options?: RequestOptions): Promise<void> {
    const input = { params: [callId], body: { decision } } as const;
    return this.api.send('POST /chat/tool-calls/{callId}/decision', input, options);
  }

  /**
   * Returns the result of a tool that the client offered with its question in `pageTools`. The first result is final.
   *
   * @param callId `toolCallId` of a part with the type `tool-input-available`.
   * @example
   * const cart = { name: 'cart', description: 'Returns the cart.', inputSchema: { type: 'object' } };
   * const parts = [{ type: 'text', text: 'What is in my cart?' }];
   * const question = { messages: [{ role: 'user', parts }], pageTools: [cart] } as const;
   * for await (const part of assistant.chat.ask(question)) {
   *   if (part.type !== 'tool-input-available') continue;
   *   const result = { outcome: 'succeeded', text: '{"items":2}' } as const;
   *   await assistant.chat.returnToolResult(String(part['toolCallId']), result);
   * }
   */
  returnToolResult(
    callId: string,
    result: ToolCallResult,
    options?: RequestOptions,
  ): Promise<void> {
    const input = { params: [callId], body: result } as const;
    return this.api.send('POST /chat/tool-calls/{callId}/result', input, options);
  }

  /**
   * Rates an answer. A new rating replaces the previous one.
   *
   * @example
   * await assistant.chat.rate(messageId, { rating: 'up' });
   */
  rate(messageId: string, feedback: Feedback, options?: RequestOptions): Promise<void> {
    const input = { params: [messageId], body: feedback } as const;
    return this.api.send('POST /chat/messages/{messageId}/feedback', input, options);
  }

  /**
   * Asks for a person. Outside of the opening hours, the result contains `away` instead of `handoff`.
   *
   * @param chatId ID of the chat or of the conversation.
   * @throws {NotFoundError} if the bot has no handoff, or the link stores no conversations.
   * @example
   * const { handoff, away } = await assistant.chat.requestPerson('chat-1');
   */
  requestPerson(chatId: string, options?: RequestOptions): Promise<HandoffRequest> {
    return this.api.send('POST /chat/handoff', { body: { id: chatId }, safe: true }, options);
  }

  /**
   * Yields the state of a handoff, the messages of the team so far, and each change. Ends when the handoff ends, and after at most
   * ten minutes; call it again while the state is not `ended`.
   *
   * @example
   * for await (const update of assistant.chat.followHandoff(conversationId)) {
   *   if (update.type === 'message') console.log(update.message.metadata.author);
   * }
   */
  followHandoff(
    conversationId: string,
    options?: StreamOptions,
  ): AsyncGenerator<HandoffUpdate<KeptMessage>, void, undefined> {
    const input = { params: [conversationId] } as const;
    const path = 'GET /chat/conversations/{conversationId}/handoff/stream';
    return stoppable(options, (own) =>
      readUpdates<KeptMessage>(() => this.api.open(path, input, own), own),
    );
  }

  /**
   * Returns the conversation to the assistant.
   *
   * @example
   * await assistant.chat.leaveHandoff(conversationId);
   */
  leaveHandoff(conversationId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [conversationId] } as const;
    return this.api.send('DELETE /chat/conversations/{conversationId}/handoff', input, options);
  }
}

async function* readParts(
  open: () => Promise<Response>,
  options: StreamOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  const response = await open();
  if (response.status === 204) return;
  for await (const { data } of readMessages(response, options)) {
    if (data === '[DONE]') return;
    if (data !== undefined) yield parseData<ChatPart>(data);
  }
  throw new ConnectionError('The connection ended before the answer was complete.');
}
