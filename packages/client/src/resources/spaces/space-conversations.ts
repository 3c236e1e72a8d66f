import type { List } from '../../http/list.ts';
import { stoppable } from '../../http/stoppable.ts';
import { type HandoffUpdate, readUpdates } from '../../http/updates.ts';
import type { CreateOptions, RequestOptions, StreamOptions } from '../../options.ts';
import type {
  ConversationExportQuery,
  Document,
  ListQuery,
  NewAnswer,
  QuestionGroups,
  QuestionQuery,
  SentTeamMessage,
  SpaceConversationPage,
  SpaceConversationQuery,
  SpaceConversationWithMessages,
  TeamMessage,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Conversations of all users of a space, for the people who run the assistant. Each read is recorded in the audit. */
export class SpaceConversations extends Resource {
  /**
   * Lists conversations, newest first.
   *
   * @example
   * for await (const { id, title } of gatehouse.spaceConversations.list({ rating: 'down' }))
   *   console.log(id, title);
   */
  list(query?: SpaceConversationQuery, options?: RequestOptions): List<SpaceConversationPage> {
    return this.api.list('GET /spaces/{spaceId}/conversations', { query }, options);
  }

  /**
   * Returns a conversation with a page of its messages, oldest first.
   *
   * @example
   * const { messages } = await gatehouse.spaceConversations.get(conversationId);
   */
  get(
    conversationId: string,
    query?: ListQuery,
    options?: RequestOptions,
  ): Promise<SpaceConversationWithMessages> {
    const input = { params: [conversationId], query } as const;
    return this.api.send('GET /spaces/{spaceId}/conversations/{conversationId}', input, options);
  }

  /**
   * Exports messages as JSON Lines or CSV. The body of the result is a stream.
   *
   * @example
   * const response = await gatehouse.spaceConversations.export({ format: 'csv' });
   * const csv = await response.text();
   */
  export(query: ConversationExportQuery, options?: RequestOptions): Promise<Response> {
    return this.api.open('GET /spaces/{spaceId}/conversations/export', { query }, options);
  }

  /**
   * Answers in a conversation that was handed over.
   *
   * @throws {ConflictError} if the conversation is not handed over.
   * @example
   * const message = { text: 'I have sent the parcel again.', author: 'Ada' };
   * const { id } = await gatehouse.spaceConversations.answer(conversationId, message);
   */
  answer(
    conversationId: string,
    message: TeamMessage,
    options?: CreateOptions,
  ): Promise<SentTeamMessage> {
    const input = { params: [conversationId], body: message } as const;
    const path = 'POST! /spaces/{spaceId}/conversations/{conversationId}/messages';
    return this.api.send(path, input, options);
  }

  /**
   * Yields the state of a handoff, its messages so far, and each change. Ends when the handoff ends, and after at most ten minutes.
   * Yields nothing if the conversation is not handed over.
   *
   * @example
   * for await (const update of gatehouse.spaceConversations.follow(conversationId)) {
   *   if (update.type === 'message') console.log(update.message.text);
   * }
   */
  follow(
    conversationId: string,
    options?: StreamOptions,
  ): AsyncGenerator<
    HandoffUpdate<SpaceConversationWithMessages['messages']['items'][number]>,
    void,
    undefined
  > {
    const input = { params: [conversationId] } as const;
    const path = 'GET /spaces/{spaceId}/conversations/{conversationId}/stream';
    return stoppable(options, (own) => readUpdates(() => this.api.open(path, input, own), own));
  }

  /**
   * Ends a handoff. The assistant answers the next message of the visitor.
   *
   * @example
   * await gatehouse.spaceConversations.endHandoff(conversationId);
   */
  endHandoff(conversationId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [conversationId] } as const;
    const path = 'DELETE /spaces/{spaceId}/conversations/{conversationId}/handoff';
    return this.api.send(path, input, options);
  }

  /**
   * Returns groups of similar questions that were not answered, or whose answers users disliked.
   *
   * @example
   * const { items } = await gatehouse.spaceConversations.questions({ state: 'unanswered' });
   * for (const { question, count } of items) console.log(count, question);
   */
  questions(query: QuestionQuery, options?: RequestOptions): Promise<QuestionGroups> {
    return this.api.send('GET /spaces/{spaceId}/questions', { query }, options);
  }

  /**
   * Adds a corrected answer to a question as a document. `metadata` decides which links see the answer.
   *
   * @example
   * const { id } = await gatehouse.spaceConversations.addAnswer({
   *   question: 'Do you ship to Norway?',
   *   answer: 'Yes. Parcels to Norway take five working days.',
   *   metadata: { audience: 'customers' },
   * });
   */
  addAnswer(answer: NewAnswer, options?: CreateOptions): Promise<Document> {
    return this.api.send('POST! /spaces/{spaceId}/answers', { body: answer }, options);
  }
}
