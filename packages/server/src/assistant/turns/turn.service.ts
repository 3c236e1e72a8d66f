import { randomUUIDv7 } from 'node:crypto';
import type { ChatRequest, PreviewAnswer, PreviewQuestion } from '@gatehouse/contract';
import type { SpaceAccess, UserCaller } from '../../identity/index.ts';
import {
  type Documents,
  type SearchPassages,
  scopeForWatching,
  scopeOfLink,
  scopeOfPreview,
} from '../../knowledge/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Links, WidgetCaller } from '../../links/index.ts';
import { activeContext, generateInSpan } from '../../platform/traces/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { Answerer, AnswerTool } from '../answerer.ts';
import { permissionsChanged } from '../assistant.errors.ts';
import { withAttachments } from '../attachments/attached-search.ts';
import type { Attachments } from '../attachments/attachment.service.ts';
import type { ConversationRepository } from '../conversations/conversation.repository.ts';
import { isHandedOver } from '../conversations/conversation.rules.ts';
import {
  type LimitKeys,
  limitKeysOf,
  ownerOf,
  previewLimitKeysOf,
} from '../conversations/owner.rules.ts';
import { type AnswerBasis, digestOf, idsOf } from '../conversations/visible-answers.service.ts';
import type { CallTools } from '../tools/index.ts';
import { askerLocaleOf } from './asker-locale.rules.ts';
import { EarlyParts } from './early-parts.ts';
import { limitHeapGrowth } from './heap-growth.ts';
import { LinkWatches, type LinkWatchTimes, type Watched } from './link-watch.ts';
import { passageSearch } from './passages.service.ts';
import { runPreviewTurn } from './preview-turn.ts';
import { questionOf } from './question.rules.ts';
import { availableDocuments, type RunDeps, runTurn } from './run-turn.ts';
import { silentTurn, storeHandoffMessage } from './silent-turn.ts';
import type { CountTurns } from './turn.metrics.ts';
import { ServiceEnding } from './turn-failure.rules.ts';
import { historyFromClient, storeQuestion } from './turn-history.ts';
import type { TurnLimits } from './turn-limits.ts';
import type { Chunk } from './ui-stream.rules.ts';

export interface TurnsDeps {
  readonly conversations: ConversationRepository;
  readonly documents: Pick<Documents, 'named'>;
  readonly search: SearchPassages;
  readonly attachments: Pick<Attachments, 'ofTurn'>;
  readonly links: Pick<Links, 'assistantOf' | 'filtersOf' | 'preview' | 'watch'>;
  readonly answerer: Answerer;
  readonly callTools: CallTools;
  readonly limits: TurnLimits;
  readonly count: CountTurns;
  readonly pricesOf: RunDeps['pricesOf'];
  readonly budgets: RunDeps['budgets'];
  readonly clock: Clock;
  readonly linkWatchTimes?: LinkWatchTimes;
  /** Called when an answer fails or cannot be stored. The client receives the same `requestId`. */
  readonly onFailure: (error: unknown, requestId: string) => void;
}

export interface Turn {
  /** The filter of the space with which the turn was prepared: JSON text, or `null` if the space has none. */
  readonly storedSpaceFilter: string | null;
  /** Returns the basis of the answer so far. */
  readonly basis: () => AnswerBasis;
  /** Runs the turn. Call this function once, and iterate the result to the end. `gone` aborts when the client disconnects. */
  readonly run: (gone: AbortSignal) => AsyncIterable<Chunk>;
}

export interface AdmittedVisitor {
  readonly visitor: WidgetCaller;
  readonly limitKeys: LimitKeys;
}

export interface Turns {
  /**
   * Counts a turn of a visitor.
   *
   * @param address the visitor's network address.
   * @throws {ApiError} 429 if the person or the link had too many turns.
   */
  admit(visitor: WidgetCaller, address: string): Promise<AdmittedVisitor>;
  /**
   * Starts a turn. When the promise resolves, the question is stored, unless the link disables the history. The model is asked at the
   * same time, but its answer is neither sent nor stored before the question is stored.
   *
   * @throws {ApiError} 401 if the link was deleted, 409 if an answer to be replaced is no longer the last one, 429 if there are too many
   *   concurrent turns.
   */
  begin(admitted: AdmittedVisitor, request: ChatRequest, requestId: string): Promise<Turn>;
  /**
   * Answers a question of an editor as a link would. Stores nothing.
   *
   * @throws {ApiError} 404 or 410 if the link does not exist or has ended, 429 if there are too many questions.
   */
  preview(
    space: SpaceAccess,
    caller: UserCaller,
    request: PreviewQuestion,
    from: { readonly requestId: string; readonly gone: AbortSignal },
  ): Promise<PreviewAnswer>;
  /** Waits for running answers and aborts them after `graceMs`. Resolves when all have ended. */
  end(graceMs: number): Promise<void>;
}

/**
 * From this number of running answers on, the growth of the heap is limited. Each answer keeps its objects for longer than the young
 * generation of the heap does, so the garbage of many answers would fill the old generation.
 */
const MANY_ANSWERS = 100;

interface WatchedTurn extends Watched {
  readonly visitor: WidgetCaller;
  readonly watchedScope: KnowledgeScope;
}

export function createTurns(deps: TurnsDeps): Turns {
  const { conversations, documents, links, limits, clock } = deps;
  const watches = new LinkWatches<WatchedTurn>(
    {
      async confirm({ visitor, storedSpaceFilter }) {
        const current = await links.watch(visitor);
        if (current.storedSpaceFilter !== storedSpaceFilter) throw permissionsChanged();
      },
      visible: ({ watchedScope }, ids) => documents.named(watchedScope, ids),
    },
    deps.linkWatchTimes,
  );
  const ending = new AbortController();
  const running = new Set<Promise<void>>();

  /** Acquires the semaphores of a turn and registers the turn as running until they are released. */
  async function acquire(keys: LimitKeys, conversation: string): Promise<() => void> {
    const release = await limits.acquire(keys, conversation);
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    if (running.size === MANY_ANSWERS) limitHeapGrowth(true);
    return () => {
      // `begin` and the turn that it has started may both release them.
      if (!running.has(promise)) return;
      release();
      if (running.size === MANY_ANSWERS) limitHeapGrowth(false);
      running.delete(promise);
      resolve();
    };
  }

  return {
    async admit(visitor, address) {
      const limitKeys = limitKeysOf(visitor, address);
      await limits.count(limitKeys);
      return { visitor, limitKeys };
    },

    async begin({ visitor, limitKeys }, request, requestId) {
      const assistant = await links.assistantOf(visitor);
      const owner = ownerOf(visitor);
      const scope = scopeOfLink(visitor, assistant.filters);
      const { storedSpaceFilter } = assistant.filters;
      const currentScope = async () => {
        const filters = await links.filtersOf(visitor);
        if (filters.storedSpaceFilter !== storedSpaceFilter) throw permissionsChanged();
        return scopeOfLink(visitor, filters);
      };
      const reported = request.context ?? null;
      const find = async () =>
        assistant.chatHistory && request.id !== undefined
          ? conversations.find(owner, request.id)
          : null;
      const chatId = (await find())?.chat_id ?? request.id ?? randomUUIDv7();
      const release = await acquire(limitKeys, JSON.stringify([owner.spaceId, owner.name, chatId]));
      const inDocuments = passageSearch(deps.search, currentScope);
      try {
        // Find the conversation again, because another turn may have created or changed it in the meantime.
        const found = await find();
        const attached = await deps.attachments.ofTurn({ owner, chatId }, request, assistant);
        const asked = {
          ...{ owner, linkId: visitor.linkId, scope, found, chatId, request },
          attachments: attached.asked,
        };
        if (found !== null && isHandedOver(found)) {
          await storeHandoffMessage(conversations, { ...asked, found }, clock());
          const basis = () => ({ documents: [], filterDigest: null });
          return { storedSpaceFilter, basis, run: () => silentTurn(found, release) };
        }
        const question = questionOf(request).text;
        inDocuments.prefetch(question, scope);
        const history = assistant.chatHistory
          ? await storeQuestion({ conversations, documents }, asked, clock())
          : historyFromClient(request);
        // The attachments of the question belong to it as soon as it is stored.
        if (attached.asked.length > 0) await history.saved;
        const search = withAttachments(inDocuments, await attached.available(history.messageIds), {
          question,
          isNew: (file) => attached.asked.includes(file),
        });
        const id = randomUUIDv7();
        const caller = {
          spaceId: owner.spaceId,
          linkId: visitor.linkId,
          botId: assistant.bot.id,
          claims: assistant.claims,
          confirm: () => links.watch(visitor),
          question: JSON.stringify([chatId, history.questionId ?? id]),
        };
        const tools = startedAfter(
          history.saved,
          await deps.callTools.of(caller, request.pageTools),
        );
        const available = () => availableDocuments({ history, search });
        // The filters of a link never change. A changed filter of the space ends the answer.
        const watchedScope = scopeForWatching(visitor, assistant.filters);
        const parent = activeContext();
        const attributes = { 'gatehouse.space.id': owner.spaceId };
        const run = (gone: AbortSignal) =>
          runTurn(
            { ...deps, named: async (ids) => documents.named(await currentScope(), ids) },
            {
              id,
              spaceId: owner.spaceId,
              linkId: visitor.linkId,
              assistant,
              history,
              reported,
              askerLocale: askerLocaleOf(request, clock()),
              search,
              filter: scope.filter,
              tools,
              watchLink: () =>
                watches.watch(
                  { linkId: visitor.linkId, storedSpaceFilter, visitor, watchedScope },
                  () => idsOf(available()),
                ),
              requestId,
              release,
            },
            { gone, ending: ending.signal },
          );
        // Asks the model while the question is stored.
        const parts = new EarlyParts((gone) =>
          generateInSpan('answer question', { parent, attributes }, () => run(gone)),
        );
        await history.saved.catch(async (error: unknown) => {
          await parts.abandon(error);
          throw error;
        });
        return {
          storedSpaceFilter,
          basis: () => ({ documents: available(), filterDigest: digestOf(scope.filter) }),
          run: (gone) => parts.run(gone),
        };
      } catch (error) {
        inDocuments.abandon();
        release();
        throw error;
      }
    },

    async preview(space, caller, request, { requestId, gone }) {
      const { assistant } = await links.preview(space, request);
      const keys = previewLimitKeysOf(space.spaceId, caller.userId);
      await limits.count(keys);
      const scope = scopeOfPreview(space, assistant.filters);
      const release = await acquire(keys, `preview ${randomUUIDv7()}`);
      const question = request.question.trim();
      const linkId = request.linkId?.toLowerCase() ?? null;
      const turn = { assistant, scope, linkId, question, requestId, release };
      return runPreviewTurn(deps, turn, { gone, ending: ending.signal });
    },

    async end(graceMs) {
      const timer = setTimeout(() => ending.abort(new ServiceEnding()), graceMs);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

/** Returns the tools, but their calls wait for a promise. */
function startedAfter(ready: Promise<void>, tools: readonly AnswerTool[]): readonly AnswerTool[] {
  return tools.map((tool) => ({
    ...tool,
    start: async (input, signal) => {
      await ready;
      return tool.start(input, signal);
    },
  }));
}
