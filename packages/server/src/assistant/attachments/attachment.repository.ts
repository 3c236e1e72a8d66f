import { sql } from 'kysely';
import {
  type AttachmentRow,
  type Database,
  inTransaction,
  type Passage,
  retryConflicts,
  type Write,
} from '../../storage/ports/index.ts';
import type { Owner } from '../conversations/owner.rules.ts';
import type { AttachedFile } from './attachment.rules.ts';

/** A chat of an owner. The conversation need not exist yet. */
export interface ChatKey {
  readonly owner: Owner;
  readonly chatId: string;
}

export type Insertion = 'inserted' | 'conversation-full' | 'link-full' | 'link-ended';

const MAX_REMOVED_AT_ONCE = 50;

export type AttachmentRepository = ReturnType<typeof createAttachmentRepository>;

/** Stores attachments. All reads are restricted to one chat of one owner. Times are Unix milliseconds. */
export function createAttachmentRepository(db: Database) {
  const ofChat = (trx: Database, { owner, chatId }: ChatKey, now: number) =>
    trx
      .selectFrom('attachments')
      .where('space_id', '=', owner.spaceId)
      .where('owner', '=', owner.name)
      .where('chat_id', '=', chatId)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));

  return {
    /** Inserts an attachment in one step, so that no part of an attachment is ever stored. */
    insert(
      row: AttachmentRow,
      owner: Owner,
      max: { readonly conversation: number; readonly link: number },
    ): Promise<Insertion> {
      return inTransaction(db, async (trx) => {
        const count = async (query: ReturnType<typeof ofChat>) =>
          Number(
            (await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst())?.n,
          );
        const chat = { owner, chatId: row.chat_id };
        if ((await count(ofChat(trx, chat, row.created_at))) >= max.conversation)
          return 'conversation-full';
        const ofLink = trx
          .selectFrom('attachments')
          .where('space_id', '=', row.space_id)
          .where('link_id', '=', row.link_id);
        if ((await count(ofLink)) >= max.link) return 'link-full';
        // An erasure revokes the links of the person, so nothing is stored after it.
        const link = await trx
          .selectFrom('links')
          .where('space_id', '=', row.space_id)
          .where('id', '=', row.link_id)
          .where('revoked_at', 'is', null)
          .select('id')
          .executeTakeFirst();
        if (link === undefined) return 'link-ended';
        await trx.insertInto('attachments').values(row).execute();
        return 'inserted';
      });
    },

    /** Deletes an attachment that no stored question has. */
    async remove({ owner, chatId }: ChatKey, id: string): Promise<void> {
      await db
        .deleteFrom('attachments')
        .where('space_id', '=', owner.spaceId)
        .where('id', '=', id)
        .where('owner', '=', owner.name)
        .where('chat_id', '=', chatId)
        .where('message_id', 'is', null)
        .execute();
    },

    /** Returns the names of the attachments of a chat, oldest first. */
    names(chat: ChatKey, now: number) {
      return ofChat(db, chat, now)
        .select(['id', 'file_name', 'mime_type', 'message_id'])
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    },

    /** Returns the attachments of a chat with these IDs, in this order. */
    async read(chat: ChatKey, ids: readonly string[], now: number): Promise<AttachedFile[]> {
      if (ids.length === 0) return [];
      const rows = await ofChat(db, chat, now)
        .where('id', 'in', [...ids])
        .select(['id', 'file_name', 'mime_type', 'passages'])
        .execute();
      const files = rows.map(
        (row): AttachedFile => ({
          id: row.id,
          fileName: row.file_name,
          mimeType: row.mime_type,
          passages: JSON.parse(row.passages) as Passage[],
        }),
      );
      return files.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    },

    /** Keeps the attachments of a chat that is not stored. */
    async extend(chat: ChatKey, ids: readonly string[], until: number): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('attachments')
        .set({ expires_at: until })
        .where('space_id', '=', chat.owner.spaceId)
        .where('owner', '=', chat.owner.name)
        .where('chat_id', '=', chat.chatId)
        .where('id', 'in', [...ids])
        .where('message_id', 'is', null)
        .execute();
    },

    /** Removes some attachments that have expired. Resolves with `false` if none remain. */
    async removeExpired(now: number): Promise<boolean> {
      // The outer condition keeps an attachment that is sent while the statement runs.
      const { numAffectedRows = 0n } = await retryConflicts(() =>
        sql`delete from attachments
          where (space_id, id) in (
            select space_id, id from attachments where expires_at <= cast(${now} as bigint)
            order by expires_at limit ${sql.lit(MAX_REMOVED_AT_ONCE)})
          and expires_at <= cast(${now} as bigint)`.execute(db),
      );
      return numAffectedRows === BigInt(MAX_REMOVED_AT_ONCE);
    },
  };
}

/** Returns the write that gives attachments to a question. The question must be stored in the same transaction. */
export function claimWrite(
  db: Database,
  { owner, chatId }: ChatKey,
  ids: readonly string[],
  questionId: string,
): Write {
  const { spaceId, name } = owner;
  return db
    .updateTable('attachments')
    .set({ message_id: questionId, expires_at: null })
    .where('space_id', '=', spaceId)
    .where('owner', '=', name)
    .where('chat_id', '=', chatId)
    .where('id', 'in', [...ids])
    .where('message_id', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('messages')
          .where('messages.space_id', '=', spaceId)
          .where('messages.id', '=', questionId)
          .select('messages.id'),
      ),
    );
}

/** Returns the write that removes the attachments of a question other than these. */
export function replacedRemoval(
  db: Database,
  { spaceId, name }: Owner,
  ids: readonly string[],
  questionId: string,
): Write {
  return db
    .deleteFrom('attachments')
    .where('space_id', '=', spaceId)
    .where('owner', '=', name)
    .where('message_id', '=', questionId)
    .where('id', 'not in', [...ids]);
}

/** Returns the write that removes the unsent attachments of a conversation, before the conversation is deleted. */
export function unsentRemoval(
  db: Database,
  { spaceId, name }: Owner,
  conversationId: string,
): Write {
  return db
    .deleteFrom('attachments')
    .where('space_id', '=', spaceId)
    .where('owner', '=', name)
    .where('chat_id', 'in', (select) =>
      select
        .selectFrom('conversations')
        .where('conversations.space_id', '=', spaceId)
        .where('conversations.owner', '=', name)
        .where('conversations.id', '=', conversationId)
        .select('conversations.chat_id'),
    );
}
