import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type {
  ConversationPage,
  ConversationQuery,
  ConversationWithMessages,
  ListQuery,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Stored conversations of the user of a link. Requires a widget session. */
export class Conversations extends Resource {
  /**
   * Lists conversations, newest first.
   *
   * @example
   * for await (const { title } of assistant.conversations.list()) console.log(title);
   */
  list(query?: ListQuery, options?: RequestOptions): List<ConversationPage> {
    return this.api.list('GET /chat/conversations', { query }, options);
  }

  /**
   * Returns a conversation with its newest messages, or with those before a cursor.
   *
   * @example
   * const { messages, earlier } = await assistant.conversations.get(conversationId);
   * if (earlier !== null) await assistant.conversations.get(conversationId, { before: earlier });
   */
  get(
    conversationId: string,
    query?: ConversationQuery,
    options?: RequestOptions,
  ): Promise<ConversationWithMessages> {
    const input = { params: [conversationId], query } as const;
    return this.api.send('GET /chat/conversations/{conversationId}', input, options);
  }

  /**
   * Deletes a conversation.
   *
   * @example
   * await assistant.conversations.delete(conversationId);
   */
  delete(conversationId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [conversationId] } as const;
    return this.api.send('DELETE /chat/conversations/{conversationId}', input, options);
  }
}
