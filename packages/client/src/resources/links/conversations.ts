import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type { ConversationPage, ConversationWithMessages, ListQuery } from '../../types.ts';
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
   * Returns a conversation with its messages.
   *
   * @example
   * const { messages } = await assistant.conversations.get(conversationId);
   */
  get(conversationId: string, options?: RequestOptions): Promise<ConversationWithMessages> {
    const input = { params: [conversationId] } as const;
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
