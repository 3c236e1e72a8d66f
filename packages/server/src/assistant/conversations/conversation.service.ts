import {
  type Conversation,
  type ConversationWithMessages,
  type Feedback,
  MAX_MESSAGES_SHOWN,
} from '@gatehouse/contract';
import {
  encodeCursor,
  type ListRequest,
  type Page,
  readCursor,
  readLimit,
  readPositionCursor,
  toPage,
} from '../../http/index.ts';
import type { Documents } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { noSuchAnswer } from '../assistant.errors.ts';
import type { ConversationRepository } from './conversation.repository.ts';
import {
  basisOf,
  emptyConversation,
  toConversation,
  toHandoff,
  toKeptMessage,
} from './conversation.rules.ts';
import type { Owner } from './owner.rules.ts';
import { visibleAnswers } from './visible-answers.service.ts';

/** Conversations of an owner. The owner is `null` if the link disables the history. */
export interface Conversations {
  list(owner: Owner | null, request: ListRequest): Promise<Page<Conversation>>;
  /**
   * Returns an empty conversation if the owner has none with this ID.
   *
   * @param request.before cursor from `earlier` of the previous page.
   */
  show(
    owner: Owner | null,
    scope: KnowledgeScope,
    id: string,
    request: { readonly before?: string },
  ): Promise<ConversationWithMessages>;
  /** Does nothing if the owner has no conversation with this ID. */
  remove(owner: Owner | null, id: string): Promise<void>;
  /** @throws {ApiError} 404 if the owner has no such answer. */
  rate(owner: Owner | null, messageId: string, feedback: Feedback): Promise<void>;
}

export function createConversations(
  repository: ConversationRepository,
  documents: Pick<Documents, 'named'>,
): Conversations {
  return {
    async list(owner, { limit, after }) {
      if (owner === null) return { items: [], next: null };
      const count = readLimit(limit);
      const rows = await repository.list(owner, readCursor(after), count + 1);
      return toPage(rows, count, (row) => row.id, toConversation);
    },
    async show(owner, scope, id, { before }) {
      const position = readPositionCursor(
        before,
        'before: must be `earlier` of the previous response',
      );
      const found = owner === null ? null : await repository.find(owner, id);
      if (found === null || found.id !== id)
        return { ...emptyConversation(id), handoff: null, messages: [], earlier: null };
      const read = await repository.messages(found, MAX_MESSAGES_SHOWN + 1, position);
      const rows = read.slice(-MAX_MESSAGES_SHOWN);
      const first = read.length > rows.length ? rows[0] : undefined;
      const visible = await visibleAnswers(documents, scope, rows.map(basisOf));
      return {
        ...toConversation(found),
        handoff: toHandoff(found),
        messages: rows.map((row) => toKeptMessage(row, visible)),
        earlier: first === undefined ? null : encodeCursor(String(first.position)),
      };
    },
    async remove(owner, id) {
      if (owner !== null) await repository.remove(owner, id);
    },
    async rate(owner, messageId, { rating, comment = null }) {
      if (owner === null || !(await repository.rate(owner, messageId, { rating, comment })))
        throw noSuchAnswer();
    },
  };
}
