import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/caching/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Hints } from '../../storage/ports/index.ts';
import type { ChatKey } from './running-answer.repository.ts';

/** Topic of the hints. A hint contains the key of the chat and the time of the request. */
const TOPIC = 'answer-stops';
/** Maximum number of chats whose newest request is remembered. */
const MAX_CHATS = 1000;

interface Watched {
  readonly key: string;
  readonly askedAt: number;
  readonly stop: AbortController;
}

/**
 * Requests to stop the answers of chats. An answer that had not been stored at the time of the request is found only here. Times are
 * milliseconds of `performance.now`.
 */
export class StopRequests {
  readonly #hints: Hints;
  readonly #clock: Clock;
  /** Time of the newest request, by chat. */
  readonly #newest = new LRUCache<string, number>(atMost(MAX_CHATS));
  readonly #watched = new Set<Watched>();

  constructor(hints: Hints, clock: Clock) {
    this.#hints = hints;
    this.#clock = clock;
    hints.subscribe(TOPIC, (text) => {
      const [key = '', time] = text.split(' ');
      this.#record(key, performance.now() - (clock() - Number(time)));
    });
  }

  /** Stops the answer of this process whose question arrived before the request, now or as soon as it is watched. */
  record(chat: ChatKey, requestedAt: number): void {
    this.#record(keyOf(chat), requestedAt);
  }

  /** Records the request on all other replicas. */
  announce(chat: ChatKey, requestedAt: number): void {
    const time = Math.round(this.#clock() - (performance.now() - requestedAt));
    this.#hints.publish(TOPIC, `${keyOf(chat)} ${time}`);
  }

  /** Aborts `stop` if the stop of an answer was requested after its question, or is requested before the result is disposed of. */
  watch(chat: ChatKey, askedAt: number, stop: AbortController): Disposable {
    const watched = { key: keyOf(chat), askedAt, stop };
    this.#watched.add(watched);
    if ((this.#newest.get(watched.key) ?? -Infinity) > askedAt) stop.abort();
    return { [Symbol.dispose]: () => this.#watched.delete(watched) };
  }

  #record(key: string, requestedAt: number): void {
    this.#newest.set(key, Math.max(requestedAt, this.#newest.get(key) ?? requestedAt));
    for (const one of this.#watched)
      if (one.key === key && requestedAt > one.askedAt) one.stop.abort();
  }
}

/** Returns a short key, because hints must be short and a client chooses the ID of the chat. */
function keyOf({ spaceId, linkId, chatId }: ChatKey): string {
  return hash('sha256', JSON.stringify([spaceId, linkId, chatId]), 'base64url');
}
