import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Documents, scopeOfLink } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Links, WidgetCaller } from '../../links/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import type { Hints, Semaphores } from '../../storage/ports/index.ts';
import { AnswerFailure } from '../answerer.ts';
import { permissionsChanged, tooManyStreams } from '../assistant.errors.ts';
import { type AnswerBasis, visibleAnswers } from '../conversations/visible-answers.service.ts';
import type { PageCalls } from '../tools/index.ts';
import type { Turn } from '../turns/turn.service.ts';
import { turnFailure } from '../turns/turn-failure.rules.ts';
import type { Chunk } from '../turns/ui-stream.rules.ts';
import { AnswerStates } from './answer-states.ts';
import { PartLog, partsBetween } from './part-log.ts';
import type { AnswerKey, ChatKey, RunningAnswerRepository } from './running-answer.repository.ts';
import { StopRequests } from './stop-requests.ts';

export interface ResumeTimes {
  /** Interval in milliseconds at which parts are read, and stored for other clients. Default 300. */
  readonly pollMs: number;
  /** Interval in milliseconds at which parts are stored while nobody but the first client reads. Default 1,500. */
  readonly unfollowedMs: number;
  /** An answer without a client is stopped after this many milliseconds. Default 30,000. */
  readonly detachedMs: number;
  /**
   * The replica of an answer counts as stopped if it has stored nothing for this many milliseconds. Its answer is deleted after six times
   * as long. Default 10,000.
   */
  readonly staleMs: number;
}

const TIMES: ResumeTimes = {
  pollMs: 300,
  unfollowedMs: 1500,
  detachedMs: 30_000,
  staleMs: 10_000,
};
/** A client that has read within this time counts as connected, in milliseconds. */
const FOLLOWED_MS = 5000;
/** Interval in milliseconds at which the response to a client records that the client is connected, and checks its link. */
const CONFIRM_MS = 1000;
/** Maximum number of clients that read the same answer at the same time. */
const MAX_CLIENTS = 8;

interface StartedAnswer extends AnswerKey, Pick<Turn, 'storedSpaceFilter' | 'basis'> {}

/** Decrypted content of a stored answer. */
interface AnswerContent extends Pick<Turn, 'storedSpaceFilter'>, AnswerBasis {
  readonly parts: readonly Chunk[];
}

export interface RunningAnswersDeps {
  readonly repository: RunningAnswerRepository;
  readonly pageCalls: PageCalls;
  readonly links: Pick<Links, 'watch' | 'filtersOf'>;
  readonly documents: Pick<Documents, 'named'>;
  readonly semaphores: Semaphores;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Announce requests to stop to other replicas. */
  readonly hints: Hints;
  readonly times?: ResumeTimes;
  /** Called when the parts of an answer cannot be stored. The answer itself continues. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Answers that continue when their client disconnects. A client can resume them on any replica.
 *
 *   attached ──client disconnects──▶ detached ──client returns──▶ followed ──client disconnects──▶ detached
 *   detached ──30 s without a client, another question──▶ stopped
 *   any ──request to stop──▶ stopped
 *   any ──end of the answer──▶ ended
 *
 * The parts are stored encrypted while the answer runs. A stored part is never changed, so each read continues after the last part that
 * was sent. Nothing is sent after the link ended, the filter of the space changed or a document that was available to the answer became
 * invisible for the link, even if the answer still runs.
 */
export class RunningAnswers {
  readonly #deps: RunningAnswersDeps;
  readonly #times: ResumeTimes;
  readonly #states: AnswerStates;
  /** The answers of this process, by their IDs. */
  readonly #stops = new Map<string, AbortController>();
  readonly #stopRequests: StopRequests;
  readonly #ending = new AbortController();
  #abandonedRemovedAt = 0;

  constructor(deps: RunningAnswersDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? TIMES;
    this.#states = new AnswerStates(deps.repository, this.#times.pollMs);
    this.#stopRequests = new StopRequests(deps.hints, deps.clock);
  }

  /**
   * Runs a turn and yields its parts until the client is gone. The turn continues without the client.
   *
   * @param askedAt time at which the question arrived, in milliseconds of `performance.now`. Default: now.
   */
  run(
    chat: ChatKey,
    turn: Turn,
    gone: AbortSignal,
    askedAt = performance.now(),
  ): AsyncIterable<Chunk> {
    const log = new PartLog();
    void this.#pump(chat, turn, log, { gone, askedAt });
    return log.read(gone);
  }

  /**
   * Returns a function that yields all parts of the answer in progress, or `null` if the chat has none for this link. Call the function
   * and iterate the result to its end.
   *
   * @throws {ApiError} 429 if eight clients already read the answer.
   */
  async follow(
    visitor: WidgetCaller,
    chatId: string,
  ): Promise<((gone: AbortSignal) => AsyncIterable<Chunk>) | null> {
    const { repository, semaphores, clock } = this.#deps;
    const { spaceId, linkId } = visitor;
    const found = await repository.find({ spaceId, linkId, chatId }, clock() - this.#times.staleMs);
    if (found === undefined || found.ended === 1) return null;
    const key = { spaceId, id: found.id };
    const semaphore = { key: `clients of answer ${key.id}`, permits: MAX_CLIENTS };
    const acquisition = await semaphores.acquire([semaphore]);
    if (!acquisition.acquired) throw tooManyStreams();
    await repository.follow(key, clock()).catch(async (error: unknown) => {
      await acquisition.release();
      throw error;
    });
    return (gone) => this.#read(visitor, key, { gone, release: acquisition.release });
  }

  /**
   * Stops the answer in progress, also if it has not started yet but its question had arrived before the request. With
   * `ifDetached`, only if no client reads it. Does nothing if there is none.
   *
   * @param requestedAt time of the request, in milliseconds of `performance.now`. Default: now.
   */
  async stop(
    chat: ChatKey,
    {
      ifDetached = false,
      requestedAt = performance.now(),
    }: { readonly ifDetached?: boolean; readonly requestedAt?: number } = {},
  ): Promise<void> {
    const { repository, clock } = this.#deps;
    const now = clock();
    if (!ifDetached) this.#stopRequests.record(chat, requestedAt);
    const found = await repository.find(chat, now - this.#times.staleMs);
    if (found === undefined || found.ended === 1) {
      if (!ifDetached) this.#stopRequests.announce(chat, requestedAt);
      return;
    }
    const isFollowed = Number(found.followed_at ?? 0) > now - FOLLOWED_MS;
    if (ifDetached && (found.detached_at === null || isFollowed)) return;
    await repository.stop({ spaceId: chat.spaceId, id: found.id });
    this.#stops.get(found.id)?.abort();
  }

  /** Leaves the parts of ended answers to other replicas. Call this before the store is closed. */
  end(): void {
    this.#ending.abort();
  }

  async #pump(
    chat: ChatKey,
    turn: Turn,
    log: PartLog,
    { gone, askedAt }: { readonly gone: AbortSignal; readonly askedAt: number },
  ): Promise<void> {
    const { repository, clock, onFailure } = this.#deps;
    const { storedSpaceFilter, basis } = turn;
    const key = { spaceId: chat.spaceId, id: randomUUIDv7(), storedSpaceFilter, basis };
    const stop = new AbortController();
    const ended = new AbortController();
    this.#stops.set(key.id, stop);
    let saving: Promise<void> | null = null;
    using watches = new DisposableStack();
    try {
      const parts = turn.run(stop.signal)[Symbol.asyncIterator]();
      const first = await parts.next();
      if (first.done === true) return;
      // A client that knows of the answer must be able to stop and resume it, so the answer is stored before its first part is sent.
      saving = (await this.#insert(chat, key, first.value))
        ? this.#save(chat, key, log, { gone, stop, ended: ended.signal })
        : stopWith(gone, stop);
      // A request to stop that arrived before the insertion did not find the answer.
      watches.use(this.#stopRequests.watch(chat, askedAt, stop));
      log.push(first.value);
      for (let part = await parts.next(); part.done !== true; part = await parts.next())
        log.push(part.value);
    } catch (error) {
      onFailure(error);
    } finally {
      watches.dispose();
      log.end();
      ended.abort();
      this.#stops.delete(key.id);
    }
    await saving;
    if (!isStored(log.parts[0])) return;
    try {
      const sealed = this.#seal(key, log.parts);
      await repository.save(key, { sealed, updated_at: clock(), ended: 1 });
      // Clients on other replicas take the last parts.
      await sleep(this.#times.staleMs, undefined, { ref: false, signal: this.#ending.signal });
      await repository.remove(key);
    } catch (error) {
      if (!this.#ending.signal.aborted) onFailure(error);
    }
  }

  /** Returns `false` if the answer cannot be resumed, because the link stores no conversations or the store is unavailable. */
  async #insert(chat: ChatKey, key: StartedAnswer, first: Chunk): Promise<boolean> {
    const { repository, clock, onFailure } = this.#deps;
    if (!isStored(first)) return false;
    const now = clock();
    const row = {
      id: key.id,
      space_id: key.spaceId,
      link_id: chat.linkId,
      chat_id: chat.chatId,
      conversation_id: first.messageMetadata.conversationId,
      sealed: this.#seal(key, [first]),
      is_stopped: 0,
      ended: 0,
      detached_at: null,
      followed_at: null,
      updated_at: now,
    };
    try {
      await repository.insert(row);
      void this.#removeAbandoned(now);
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    }
  }

  /** Deletes the answers of replicas that stopped unexpectedly, by default at most once per minute. Never rejects. */
  async #removeAbandoned(now: number): Promise<void> {
    const { repository, onFailure } = this.#deps;
    const abandonedMs = 6 * this.#times.staleMs;
    if (now - this.#abandonedRemovedAt < abandonedMs) return;
    this.#abandonedRemovedAt = now;
    await repository.removeAbandoned(now - abandonedMs).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) onFailure(error);
    });
  }

  /** Stores the parts until the answer ends. Never rejects. */
  async #save(
    chat: ChatKey,
    key: StartedAnswer,
    log: PartLog,
    signals: {
      readonly gone: AbortSignal;
      readonly stop: AbortController;
      readonly ended: AbortSignal;
    },
  ): Promise<void> {
    const { repository, clock, onFailure } = this.#deps;
    const { gone, stop, ended } = signals;
    const { unfollowedMs, detachedMs } = this.#times;
    let detachedAt: number | null = null;
    let storedAt = clock();
    try {
      while (!ended.aborted) {
        const state = await this.#states.next(key, ended);
        if (ended.aborted) return;
        if (gone.aborted) {
          detachedAt ??= clock();
          await this.#failPageCalls(chat, log);
        }
        const followedAt = Number(state?.followed_at ?? 0);
        const lastRead = Math.max(detachedAt ?? Infinity, followedAt);
        const isAlone = detachedAt !== null && clock() - lastRead > detachedMs;
        if (state === undefined || state.is_stopped === 1 || isAlone) stop.abort();
        const isFollowed = detachedAt !== null || followedAt > clock() - FOLLOWED_MS;
        if (!isFollowed && clock() - storedAt < unfollowedMs) continue;
        storedAt = clock();
        const sealed = this.#seal(key, log.parts);
        await repository.save(key, { sealed, updated_at: storedAt, detached_at: detachedAt });
      }
    } catch (error) {
      onFailure(error);
      // Nobody could find the answer again.
      await stopWith(gone, stop);
    }
  }

  /** Fails the calls of tools that only the page of the disconnected client could run. */
  async #failPageCalls({ spaceId, linkId }: ChatKey, { parts }: PartLog): Promise<void> {
    for (const part of parts) {
      if (part.type !== 'tool-input-available' || part.providerMetadata === undefined) continue;
      const text = 'The page was closed or reloaded.';
      const result = { outcome: 'failed', text } as const;
      // Rejects if the call has a result already.
      await this.#deps.pageCalls
        .answer({ spaceId, linkId }, part.toolCallId, result)
        .catch(() => {});
    }
  }

  async *#read(
    visitor: WidgetCaller,
    key: AnswerKey,
    { gone, release }: { readonly gone: AbortSignal; readonly release: () => Promise<void> },
  ): AsyncGenerator<Chunk> {
    const { repository, links, clock } = this.#deps;
    let before: readonly Chunk[] = [];
    let confirmedAt = 0;
    let currentSpaceFilter: string | null = null;
    let confirmedDocuments = -1;
    try {
      while (!gone.aborted) {
        if (clock() - confirmedAt >= CONFIRM_MS) {
          confirmedAt = clock();
          currentSpaceFilter = (await links.watch(visitor)).storedSpaceFilter;
          confirmedDocuments = -1;
          await repository.follow(key, confirmedAt);
        }
        const row = await repository.read(key);
        const isStale = Number(row?.updated_at ?? 0) < clock() - this.#times.staleMs;
        if (row === undefined || (row.ended === 0 && isStale))
          throw new AnswerFailure('broken', 'the replica of a resumed answer has stopped');
        const { storedSpaceFilter, parts: after, ...basis } = this.#open(key, row.sealed);
        if (storedSpaceFilter !== currentSpaceFilter) throw permissionsChanged();
        if (basis.documents.length !== confirmedDocuments) {
          await this.#requireVisible(visitor, basis);
          confirmedDocuments = basis.documents.length;
        }
        yield* partsBetween(before, after);
        before = after;
        if (row.ended === 1) return;
        await sleep(this.#times.pollMs, undefined, { signal: gone }).catch(() => {});
      }
    } catch (error) {
      const { code, retriable, message } = turnFailure(error, key.id);
      const messageMetadata = { state: 'failed', code, retriable } as const;
      yield { type: 'message-metadata', messageMetadata };
      yield { type: 'error', errorText: message };
    } finally {
      await release();
    }
  }

  /** Throws `permissionsChanged` if the answer is not visible for the link. */
  async #requireVisible(visitor: WidgetCaller, answer: AnswerBasis): Promise<void> {
    if (answer.documents.length === 0) return;
    const { links, documents } = this.#deps;
    const scope = scopeOfLink(visitor, await links.filtersOf(visitor));
    const visible = await visibleAnswers(documents, scope, [answer]);
    if (!visible.has(answer)) throw permissionsChanged();
  }

  #seal({ spaceId, id, storedSpaceFilter, basis }: StartedAnswer, parts: readonly Chunk[]): string {
    const content: AnswerContent = { storedSpaceFilter, ...basis(), parts };
    return this.#deps.sealer.seal(JSON.stringify(content), `${spaceId}/${id}`);
  }

  #open({ spaceId, id }: AnswerKey, sealed: string): AnswerContent {
    const text = this.#deps.sealer.open(sealed, `${spaceId}/${id}`);
    if (text === null) throw new AnswerFailure('broken', 'a stored answer cannot be decrypted');
    return JSON.parse(text) as AnswerContent;
  }
}

type StoredStart = Extract<Chunk, { type: 'start' }> & {
  readonly messageMetadata: { readonly conversationId: string };
};

/** Reports whether the first part of an answer says that its conversation is stored. */
function isStored(first: Chunk | undefined): first is StoredStart {
  return first?.type === 'start' && typeof first.messageMetadata.conversationId === 'string';
}

/** Stops an answer that cannot be resumed when its client is gone. */
async function stopWith(gone: AbortSignal, stop: AbortController): Promise<void> {
  if (gone.aborted) stop.abort();
  else gone.addEventListener('abort', () => stop.abort(), { once: true });
}
