import { randomUUIDv7 } from 'node:crypto';
import type { ChatRequest } from '@gatehouse/contract';
import { type Documents, type SearchPassages, scopeOfLink } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Links, WidgetCaller } from '../../links/index.ts';
import type { Answerer } from '../answerer.ts';
import type { ConversationRepository } from '../conversations/conversation.repository.ts';
import { type Asking, askingOf, ownerOf } from '../conversations/owner.rules.ts';
import { keptThread, passingThread } from '../conversations/thread.service.ts';
import type { Prices } from './cost.rules.ts';
import { LinkWatches, type LinkWatchTimes } from './link-watch.ts';
import { passageSearch } from './passages.service.ts';
import { questionOf } from './question.rules.ts';
import { runTurn } from './run-turn.ts';
import type { CountTurns } from './turn.metrics.ts';
import { ServiceEnding } from './turn-failure.rules.ts';
import type { TurnLimits } from './turn-limits.ts';
import type { Chunk } from './ui-stream.rules.ts';

export interface TurnsDeps {
  readonly conversations: ConversationRepository;
  readonly documents: Pick<Documents, 'named'>;
  readonly search: SearchPassages;
  readonly links: Pick<Links, 'assistantOf' | 'requireActiveLink'>;
  readonly answerer: Answerer;
  readonly limits: TurnLimits;
  readonly count: CountTurns;
  readonly prices: Prices | null;
  readonly clock: Clock;
  /** Other times than the usual ones. */
  readonly linkWatchTimes?: LinkWatchTimes;
  /** An answer broke off, or could not be kept; `requestId` is what its client was told. */
  readonly onFailure: (error: unknown, requestId: string) => void;
}

/** A turn that has begun: it must be run, to its end. The signal aborts when its client is gone. */
export type Turn = (gone: AbortSignal) => AsyncIterable<Chunk>;

/** Somebody whose turn was counted. */
export interface Asker {
  readonly visitor: WidgetCaller;
  readonly asking: Asking;
}

export interface Turns {
  /** Counts a turn of somebody at this network address. Throws 429 when they or their link had too many. */
  admit(visitor: WidgetCaller, address: string): Promise<Asker>;
  /**
   * Begins a turn: when it resolves, the question is kept, if anything is.
   *
   * @throws ApiError 401 when the link is gone, 429 when there are too many at once.
   */
  begin(asker: Asker, request: ChatRequest, requestId: string): Promise<Turn>;
  /** Breaks off the answers that are not finished after `patienceMs`; resolves when all have ended. */
  end(patienceMs: number): Promise<void>;
}

export function createTurns(deps: TurnsDeps): Turns {
  const { conversations, documents, links, limits, clock } = deps;
  const watches = new LinkWatches(links.requireActiveLink, deps.linkWatchTimes);
  const ending = new AbortController();
  const running = new Set<Promise<void>>();

  /** Lets a turn in and has it noted as running until it leaves. */
  async function enter(asking: Asking, conversation: string): Promise<() => void> {
    const leave = await limits.enter(asking, conversation);
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    return () => {
      leave();
      running.delete(promise);
      resolve();
    };
  }

  return {
    async admit(visitor, address) {
      const asking = askingOf(visitor, address);
      await limits.count(asking);
      return { visitor, asking };
    },

    async begin({ visitor, asking }, request, requestId) {
      const assistant = await links.assistantOf(visitor);
      const owner = ownerOf(visitor);
      const scope = scopeOfLink(visitor, assistant.filters);
      const reported = request.context ?? null;
      const find = async () =>
        assistant.chatHistory && request.id !== undefined
          ? conversations.find(owner, request.id)
          : null;
      const chatId = (await find())?.chat_id ?? request.id ?? randomUUIDv7();
      const leave = await enter(asking, JSON.stringify([owner.spaceId, owner.name, chatId]));
      const search = passageSearch(deps.search, scope);
      try {
        search.begin(questionOf(request).text);
        const thread = assistant.chatHistory
          ? await keptThread(
              { conversations, documents },
              // Again: another turn may have begun the conversation, or ended, while this one waited.
              { owner, scope, found: await find(), chatId, request },
              clock(),
            )
          : passingThread(request);
        return (gone) =>
          runTurn(
            { ...deps, named: (ids) => documents.named(scope, ids) },
            {
              id: randomUUIDv7(),
              assistant,
              thread,
              reported,
              search,
              watchLink: () => watches.watch(visitor),
              requestId,
              leave,
            },
            { gone, ending: ending.signal },
          );
      } catch (error) {
        search.abandon();
        leave();
        throw error;
      }
    },

    async end(patienceMs) {
      const timer = setTimeout(() => ending.abort(new ServiceEnding()), patienceMs);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}
