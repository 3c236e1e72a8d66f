import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  ConversationExportQuery,
  Document,
  ListQuery,
  NewAnswer,
  QuestionGroups,
  QuestionQuery,
  SpaceConversationPage,
  SpaceConversationQuery,
  SpaceConversationWithMessages,
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
