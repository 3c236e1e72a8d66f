import { randomUUIDv7 } from 'node:crypto';
import type { Handoff, KeptMessage, SentTeamMessage, SpaceMessage } from '@gatehouse/contract';
import type { AnswersAccess, ConversationsAccess } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Links, WidgetCaller } from '../../links/index.ts';
import type { JoinedWrites, Semaphores } from '../../storage/ports/index.ts';
import {
  authorRequired,
  handoffUnavailable,
  noHandoff,
  noSuchConversation,
  tooManyStreams,
} from '../assistant.errors.ts';
import type { ConversationRepository } from '../conversations/conversation.repository.ts';
import { isHandedOver, toHandoff, toKeptMessage } from '../conversations/conversation.rules.ts';
import { ownerOf } from '../conversations/owner.rules.ts';
import { withoutDocuments } from '../conversations/visible-answers.service.ts';
import { toSpaceMessage } from '../space-conversations/space-conversation.rules.ts';
import type { LinkWatches, Watched } from '../turns/link-watch.ts';
import type { AdmittedVisitor } from '../turns/turn.service.ts';
import type { TurnLimits } from '../turns/turn-limits.ts';
import type { HandoffRepository, StoredTeamMessage } from './handoff.repository.ts';
import { isOpen, shownName } from './handoff.rules.ts';
import { type HandoffUpdate, isOpenHandoff, updatesOf } from './handoff-stream.ts';

/** Maximum number of concurrent streams of one visitor, and of one member of the team. */
const MAX_STREAMS = { visitor: 8, team: 20 };
/** Interval between checks of the right of a member of the team who follows a conversation. */
const CHECK_EVERY_MS = 1000;

export interface HandoffRequest {
  readonly conversationId: string | null;
  readonly handoff: Handoff | null;
  readonly away: { readonly message: string | null } | null;
}

export interface WatchedVisitor extends Watched {
  readonly visitor: WidgetCaller;
}

/** Opens the updates of a handoff. `gone` aborts when the reader disconnects. */
export type OpenUpdates<Message> = (gone: AbortSignal) => AsyncIterable<HandoffUpdate<Message>>;

export interface HandoffsDeps {
  readonly repository: HandoffRepository;
  readonly conversations: Pick<ConversationRepository, 'find'>;
  readonly links: Pick<Links, 'assistantOf'>;
  readonly limits: Pick<TurnLimits, 'acquire'>;
  readonly semaphores: Semaphores;
  /** Ends streams when their link ends. */
  readonly watches: LinkWatches<WatchedVisitor>;
  readonly clock: Clock;
}

export interface Handoffs {
  /**
   * Hands a visitor's conversation over, unless it is outside of the opening hours.
   *
   * @throws {ApiError} 404 if the bot has no handoff or the link stores no conversations, 429 if an answer does not end within a
   *   second.
   */
  request(admitted: AdmittedVisitor, chatId: string): Promise<HandoffRequest>;
  /** Ends the handoff of a visitor's conversation, if there is one. */
  leave(visitor: WidgetCaller, conversationId: string): Promise<void>;
  /** Returns `null` if the visitor has no such conversation or it is not handed over. */
  followAsVisitor(
    visitor: WidgetCaller,
    conversationId: string,
  ): Promise<OpenUpdates<KeptMessage> | null>;
  /**
   * Returns `null` if the conversation is not handed over. The caller must have recorded the read.
   *
   * @param requireRight rejects if the caller may no longer read.
   */
  followAsTeam(
    access: ConversationsAccess,
    conversationId: string,
    requireRight: () => Promise<unknown>,
  ): Promise<OpenUpdates<SpaceMessage> | null>;
  /** @throws {ApiError} 400 without an author, 404 without the conversation, 409 if it is not handed over. */
  answer(
    access: AnswersAccess,
    conversationId: string,
    message: { readonly text: string; readonly author?: string },
    joined: JoinedWrites<StoredTeamMessage>,
  ): Promise<SentTeamMessage>;
  /** @throws {ApiError} 404 without the conversation. */
  end(access: AnswersAccess, conversationId: string): Promise<void>;
  /** Ends all streams and rejects new ones. */
  close(): void;
}

export function createHandoffs(deps: HandoffsDeps): Handoffs {
  const { repository, conversations, links, limits, semaphores, watches, clock } = deps;
  const ending = new AbortController();

  /** @throws {ApiError} 429 if the reader has too many streams. */
  async function acquireStream(key: string, permits: number): Promise<() => void> {
    const acquisition = await semaphores.acquire([{ key: `handoff streams ${key}`, permits }]);
    if (!acquisition.acquired) throw tooManyStreams();
    return () => void acquisition.release();
  }

  async function authorOf({ caller }: AnswersAccess, given: string | undefined): Promise<string> {
    if (given !== undefined && given.trim() !== '') return given.trim();
    if (caller.kind === 'key') throw authorRequired();
    return shownName((await repository.nameOfUser(caller.userId)) ?? '');
  }

  return {
    async request({ visitor, limitKeys }, id) {
      const assistant = await links.assistantOf(visitor);
      const settings = assistant.hasHandoff ? assistant.bot.handoff : null;
      if (settings === null) throw handoffUnavailable();
      const owner = ownerOf(visitor);
      const found = await conversations.find(owner, id);
      if (found !== null && isHandedOver(found))
        return { conversationId: found.id, handoff: toHandoff(found), away: null };
      if (!isOpen(settings, clock())) {
        const away = { message: settings.awayMessage ?? null };
        return { conversationId: found?.id ?? null, handoff: null, away };
      }
      const chatId = found?.chat_id ?? id;
      // A running answer must end first, because the assistant is silent during a handoff.
      const turn = JSON.stringify([owner.spaceId, owner.name, chatId]);
      const release = await limits.acquire(limitKeys, turn);
      try {
        const conversationId = found?.id ?? randomUUIDv7();
        const { linkId } = visitor;
        const asked = { conversationId, chatId, handoffId: randomUUIDv7(), linkId };
        const stored = await repository.request(owner, asked, clock());
        if (stored === null) throw handoffUnavailable();
        return { conversationId: stored.id, handoff: toHandoff(stored), away: null };
      } finally {
        release();
      }
    },

    leave: (visitor, conversationId) => repository.leave(ownerOf(visitor), conversationId, clock()),

    async followAsVisitor(visitor, conversationId) {
      const owner = ownerOf(visitor);
      const key = { spaceId: owner.spaceId, conversationId };
      const stored = await repository.findOfOwner(owner, key);
      if (ending.signal.aborted || !isOpenHandoff(stored)) return null;
      const release = await acquireStream(
        JSON.stringify([owner.spaceId, owner.name]),
        MAX_STREAMS.visitor,
      );
      const { handoff_id: handoffId } = stored;
      return async function* updates(gone) {
        using watch = watches.watch({ linkId: visitor.linkId, storedSpaceFilter: null, visitor });
        try {
          yield* updatesOf({
            repository,
            key,
            handoffId,
            // The visitor's own messages are in the chat already.
            convert: (row) => (row.role === 'user' ? null : toKeptMessage(row, withoutDocuments)),
            signal: AbortSignal.any([gone, ending.signal, watch.signal]),
          });
        } finally {
          release();
        }
      };
    },

    async followAsTeam({ spaceId, caller }, conversationId, requireRight) {
      const key = { spaceId, conversationId };
      const stored = await repository.find(key);
      if (stored === null) throw noSuchConversation();
      if (ending.signal.aborted || !isOpenHandoff(stored)) return null;
      const reader = caller.kind === 'key' ? caller.keyId : caller.userId;
      const release = await acquireStream(JSON.stringify([reader]), MAX_STREAMS.team);
      const { handoff_id: handoffId } = stored;
      return async function* updates(gone) {
        const lost = new AbortController();
        const timer = setInterval(
          () => void requireRight().catch(() => lost.abort()),
          CHECK_EVERY_MS,
        ).unref();
        try {
          yield* updatesOf({
            repository,
            key,
            handoffId,
            convert: (row) => toSpaceMessage(row, new Map()),
            signal: AbortSignal.any([gone, ending.signal, lost.signal]),
          });
        } finally {
          clearInterval(timer);
          release();
        }
      };
    },

    async answer(access, conversationId, { text, author: given }, joined) {
      const author = await authorOf(access, given);
      const key = { spaceId: access.spaceId, conversationId };
      const message = { id: randomUUIDv7(), text, author };
      const stored = await repository.answer(key, message, clock(), joined);
      if (stored === 'absent') throw noSuchConversation();
      if (stored === 'closed') throw noHandoff();
      return toSentMessage(stored);
    },

    async end({ spaceId }, conversationId) {
      if (!(await repository.end({ spaceId, conversationId }, clock()))) throw noSuchConversation();
    },

    close: () => ending.abort(),
  };
}

export function toSentMessage({ id, text, author, createdAt }: StoredTeamMessage): SentTeamMessage {
  return { id, text, author, createdAt: new Date(createdAt).toISOString() };
}
