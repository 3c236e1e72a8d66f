import { randomUUIDv7 } from 'node:crypto';
import { type Attachment, type ChatRequest, MAX_ATTACHMENT_TEXT } from '@gatehouse/contract';
import type { ReadUpload } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Links, WidgetCaller } from '../../links/index.ts';
import type { RateCounts, Semaphores } from '../../storage/ports/index.ts';
import type { ConversationRepository } from '../conversations/conversation.repository.ts';
import { limitKeysOf, type Owner, ownerOf } from '../conversations/owner.rules.ts';
import {
  attachmentGone,
  attachmentsDisabled,
  attachmentTooLarge,
  attachmentTooLong,
  attachmentUnreadable,
  noMoreAttachments,
  tooManyAttachments,
} from './attachment.errors.ts';
import type { AttachmentRepository, ChatKey } from './attachment.repository.ts';
import {
  type AttachedFile,
  attachmentIdsOf,
  toFilePart,
  UNSENT_MS,
  UNSTORED_MS,
} from './attachment.rules.ts';

export interface AttachmentLimits {
  /** Maximum attachments of a conversation. 0: attachments are disabled. */
  readonly perConversation: number;
  /** Maximum stored attachments of a link. */
  readonly perLink: number;
  /** Maximum size of an attachment in bytes. */
  readonly bytes: number;
  /** Maximum uploads of a person per minute. Three times as many are permitted per link. 0: no limit. */
  readonly perMinute: number;
}

export interface AttachmentsDeps {
  readonly repository: AttachmentRepository;
  readonly conversations: Pick<ConversationRepository, 'find'>;
  readonly links: Pick<Links, 'assistantOf'>;
  readonly readUpload: ReadUpload;
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
  readonly limits: AttachmentLimits;
  readonly clock: Clock;
}

const MAX_CONCURRENT = { person: 2, link: 6 };
/** Delay after which a client should repeat an upload that was rejected because of concurrent uploads, in seconds. */
const RETRY_SECONDS = 2;

export interface UploadedBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly contentType: string;
  readonly signal: AbortSignal;
}

export interface AttachmentsOfTurn {
  /** Attachments that the question itself refers to. */
  readonly asked: readonly AttachedFile[];
  /** Returns all attachments that the answer may use, after the question was stored. */
  available(messageIds: ReadonlySet<string>): Promise<readonly AttachedFile[]>;
}

export interface Attachments {
  /**
   * Counts an upload.
   *
   * @throws {ApiError} 429 if the person or the link had too many uploads in the last minute.
   */
  admit(visitor: WidgetCaller, address: string): Promise<AdmittedUpload>;
  /** @throws {ApiError} 400, 403, 413 or 415 if the file is not accepted, 429 if there are too many concurrent uploads. */
  add(upload: AdmittedUpload, chatId: string, body: UploadedBody): Promise<Attachment>;
  remove(visitor: WidgetCaller, chatId: string, id: string): Promise<void>;
  /** @throws {ApiError} 400 if the question refers to an attachment that the chat does not have, 403 if attachments are disabled. */
  ofTurn(
    chat: ChatKey,
    request: ChatRequest,
    link: { readonly attachments: boolean; readonly chatHistory: boolean },
  ): Promise<AttachmentsOfTurn>;
}

export interface AdmittedUpload {
  readonly visitor: WidgetCaller;
  readonly keys: ReturnType<typeof limitKeysOf>;
}

export function createAttachments(deps: AttachmentsDeps): Attachments {
  const { repository, conversations, links, readUpload, limits, clock } = deps;
  const isEnabled = limits.perConversation > 0;

  async function chatOf(visitor: WidgetCaller, chatHistory: boolean, id: string): Promise<ChatKey> {
    const owner: Owner = ownerOf(visitor);
    const found = chatHistory ? await conversations.find(owner, id) : null;
    return { owner, chatId: found?.chat_id ?? id };
  }

  async function whileAcquired<T>({ keys }: AdmittedUpload, work: () => Promise<T>): Promise<T> {
    const acquisition = await deps.semaphores.acquire([
      { key: `uploads of a person ${keys.person}`, permits: MAX_CONCURRENT.person },
      { key: `uploads of a link ${keys.link}`, permits: MAX_CONCURRENT.link },
    ]);
    if (!acquisition.acquired) throw tooManyAttachments(RETRY_SECONDS);
    try {
      return await work();
    } finally {
      void acquisition.release();
    }
  }

  return {
    async admit(visitor, address) {
      if (!isEnabled) throw attachmentsDisabled();
      const keys = limitKeysOf(visitor, address);
      const { perMinute } = limits;
      if (perMinute > 0) {
        const exceeded = await deps.rates.countInMinute([
          { limit: 'attachments of a person', key: keys.person, max: perMinute },
          { limit: 'attachments of a link', key: keys.link, max: 3 * perMinute },
        ]);
        if (exceeded !== null) throw tooManyAttachments(Math.ceil(exceeded.waitMs / 1000));
      }
      return { visitor, keys };
    },

    async add(upload, chatId, { chunks, contentType, signal }) {
      const { visitor } = upload;
      const assistant = await links.assistantOf(visitor);
      if (!assistant.attachments) throw attachmentsDisabled();
      const read = await whileAcquired(upload, () =>
        readUpload({
          spaceId: visitor.spaceId,
          chunks,
          contentType,
          checkSize: (bytes) => {
            if (bytes > limits.bytes) throw attachmentTooLarge(limits.bytes);
          },
          checkText: (characters) => {
            if (characters > MAX_ATTACHMENT_TEXT) throw attachmentTooLong(MAX_ATTACHMENT_TEXT);
          },
          signal,
        }),
      );
      if (!read.ok) throw attachmentUnreadable(read.reason);
      const { fileName, mimeType, size, passages } = read.file;
      const { owner, chatId: chat } = await chatOf(visitor, assistant.chatHistory, chatId);
      const now = clock();
      // In a chat that is not stored, this ID is the only proof that the visitor uploaded the file. It has at least 62 random bits.
      const id = randomUUIDv7();
      const inserted = await repository.insert(
        {
          id,
          space_id: owner.spaceId,
          owner: owner.name,
          link_id: visitor.linkId,
          chat_id: chat,
          message_id: null,
          file_name: fileName,
          mime_type: mimeType,
          size,
          passages: JSON.stringify(passages),
          created_at: now,
          expires_at: now + (assistant.chatHistory ? UNSENT_MS : UNSTORED_MS),
        },
        owner,
        { conversation: limits.perConversation, link: limits.perLink },
      );
      if (inserted === 'conversation-full')
        throw noMoreAttachments('conversation', limits.perConversation);
      if (inserted === 'link-full') throw noMoreAttachments('link', limits.perLink);
      // The next request with the session reports why the link has ended.
      if (inserted === 'link-ended') throw attachmentsDisabled();
      return { id, size, part: toFilePart({ id, fileName, mimeType }) };
    },

    async remove(visitor, chatId, id) {
      const { chatHistory } = await links.assistantOf(visitor);
      await repository.remove(await chatOf(visitor, chatHistory, chatId), id.toLowerCase());
    },

    async ofTurn(chat, request, { attachments, chatHistory }) {
      const ids = attachmentIdsOf(request.messages.at(-1)?.parts ?? []);
      if (ids.length > 0 && !(isEnabled && attachments)) throw attachmentsDisabled();
      const asked = await repository.read(chat, ids, clock());
      if (asked.length < ids.length) throw attachmentGone();
      if (chatHistory)
        return {
          asked,
          async available(messageIds) {
            const names = await repository.names(chat, clock());
            const earlier = names
              .filter(({ id, message_id }) => !ids.includes(id) && messageIds.has(message_id ?? ''))
              .map(({ id }) => id);
            return [...asked, ...(await repository.read(chat, earlier, clock()))];
          },
        };
      const earlier = attachmentIdsOf(
        request.messages.flatMap(({ role, parts }) => (role === 'user' ? parts : [])),
      ).filter((id) => !ids.includes(id));
      const all = [...asked, ...(await repository.read(chat, earlier, clock()))];
      await repository.extend(
        chat,
        all.map(({ id }) => id),
        clock() + UNSTORED_MS,
      );
      return { asked, available: async () => all };
    },
  };
}
