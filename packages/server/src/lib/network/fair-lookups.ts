import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { atMost } from '../caching/index.ts';

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Uses the system resolver, which supports `/etc/hosts` and search domains. */
const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

export interface FairLookupsOptions {
  /** Default: the system resolver. */
  readonly resolve?: Resolve;
  /** A lookup that takes longer is slow. Milliseconds, default 1,000. */
  readonly slowMs?: number;
  /** A lookup that waits longer fails, because its caller has stopped waiting. Milliseconds, default 10,000. */
  readonly maxWaitMs?: number;
}

/** Maximum number of concurrent lookups. The system resolver has two threads, which the hosts of the operator also need. */
const MAX_LOOKUPS = 2;
/** Time for which a space with a slow lookup shares one thread with the other slow spaces, in milliseconds. */
const SLOW_FOR_MS = 600_000;
const MAX_SLOW_SPACES = 10_000;

interface Waiting extends PromiseWithResolvers<readonly LookupAddress[]> {
  readonly hostname: string;
  readonly since: number;
}

/**
 * Looks up host names that users chose. A lookup cannot be cancelled, and a name server that does not respond makes it take ten
 * seconds or more. So that a space with such names does not delay the others, spaces alternate, a space has one lookup at a time, and
 * spaces whose lookups were slow have only one lookup at a time together.
 */
export class FairLookups {
  readonly #resolve: Resolve;
  readonly #slowMs: number;
  readonly #maxWaitMs: number;
  /** Lookups of each space in the order of their requests. The spaces are in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** The running lookup of each space. */
  readonly #running = new Map<string, Waiting>();
  readonly #slow = new LRUCache<string, true>({ ...atMost(MAX_SLOW_SPACES), ttl: SLOW_FOR_MS });

  constructor({
    resolve = resolveBySystem,
    slowMs = 1000,
    maxWaitMs = 10_000,
  }: FairLookupsOptions = {}) {
    this.#resolve = resolve;
    this.#slowMs = slowMs;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Returns the function that looks up names for one space. Concurrent lookups of the same name are one lookup. */
  of(spaceId: string): Resolve {
    return (hostname) => {
      const own = this.#waiting.get(spaceId) ?? [];
      const known = [this.#running.get(spaceId), ...own].find((one) => one?.hostname === hostname);
      if (known !== undefined) return known.promise;
      const one: Waiting = {
        ...Promise.withResolvers<readonly LookupAddress[]>(),
        hostname,
        since: performance.now(),
      };
      this.#waiting.set(spaceId, [...own, one]);
      this.#fill();
      return one.promise;
    };
  }

  #fill(): void {
    while (this.#running.size < MAX_LOOKUPS) {
      const spaceId = this.#nextSpace();
      if (spaceId === undefined) return;
      const [next, ...others] = this.#waiting.get(spaceId) ?? [];
      this.#waiting.delete(spaceId);
      if (others.length > 0) this.#waiting.set(spaceId, others);
      if (next !== undefined) this.#start(spaceId, next);
    }
  }

  #nextSpace(): string | undefined {
    const hasSlow = [...this.#running.keys()].some((spaceId) => this.#slow.has(spaceId));
    for (const spaceId of this.#waiting.keys())
      if (!this.#running.has(spaceId) && !(hasSlow && this.#slow.has(spaceId))) return spaceId;
    return undefined;
  }

  #start(spaceId: string, started: Waiting): void {
    const { hostname, since, resolve, reject } = started;
    if (performance.now() - since > this.#maxWaitMs) {
      reject(new Error('the name was not looked up in time'));
      return;
    }
    this.#running.set(spaceId, started);
    const timer = setTimeout(() => this.#slow.set(spaceId, true), this.#slowMs).unref();
    this.#resolve(hostname)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        this.#running.delete(spaceId);
        this.#fill();
      });
  }
}
