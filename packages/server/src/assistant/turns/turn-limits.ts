import { setTimeout as sleep } from 'node:timers/promises';
import type { Rate, RateCounts, Semaphore, Semaphores } from '../../storage/ports/index.ts';
import { linkBusy, tooManyTurns, turnRunning } from '../assistant.errors.ts';
import type { LimitKeys } from '../conversations/owner.rules.ts';

const MAX_CONCURRENT = { person: 4, link: 12 };
/**
 * Maximum time to wait for the previous turn to end. The wait is needed because a client may stop an answer and ask the next
 * question before the server detects the stop.
 */
const MAX_WAIT_MS = 1000;
/** Interval between attempts while another process runs a turn of the conversation. */
const POLL_MS = 100;

/** Maximum turns per minute. 0: no limit. */
export interface TurnRates {
  /** Per person, across all links and sessions. */
  readonly person: number;
  /** Per link, across all persons. */
  readonly link: number;
}

/** Limits of turns per minute and of concurrent turns, across all replicas. */
export interface TurnLimits {
  /**
   * Counts a turn.
   *
   * @throws {ApiError} 429, without counting, if the last minute had too many turns.
   */
  count(keys: LimitKeys): Promise<void>;
  /**
   * Acquires the semaphores of a turn. Returns a function that releases them.
   *
   * @throws {ApiError} 429 if another turn of the conversation does not end within a second, or if the person or the link
   *   has too many turns.
   */
  acquire(keys: LimitKeys, conversation: string): Promise<() => void>;
}

export interface TurnLimitsDeps {
  readonly perMinute: TurnRates;
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
}

export function createTurnLimits({ perMinute, rates, semaphores }: TurnLimitsDeps): TurnLimits {
  /** The running turns of this process, by conversation. */
  const running = new Map<string, Promise<void>>();

  async function waitForTurnEnd(conversation: string, leftMs: number): Promise<void> {
    const other = running.get(conversation);
    if (other === undefined) await sleep(Math.min(POLL_MS, leftMs), null, { ref: false });
    else await Promise.race([other, sleep(leftMs, null, { ref: false })]);
  }

  async function acquireSemaphores(keys: LimitKeys, conversation: string): Promise<() => void> {
    const needed = semaphoresOf(keys, conversation);
    const waitUntil = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const result = await semaphores.acquire([needed.conversation, needed.person, needed.link]);
      if (result.acquired) return result.release;
      if (result.full === needed.link) throw linkBusy(2);
      const leftMs = waitUntil - performance.now();
      if (result.full === needed.person || leftMs <= 0) throw turnRunning();
      await waitForTurnEnd(conversation, leftMs);
    }
  }

  return {
    async count({ person, link }) {
      const rateLimits: Rate[] = [
        { limit: 'turns of a person', key: person, max: perMinute.person },
        { limit: 'turns of a link', key: link, max: perMinute.link },
      ];
      const limited = rateLimits.filter(({ max }) => max > 0);
      if (limited.length === 0) return;
      const exceeded = await rates.countInMinute(limited);
      if (exceeded === null) return;
      const seconds = Math.ceil(exceeded.waitMs / 1000);
      throw exceeded.rate === rateLimits[0] ? tooManyTurns(seconds) : linkBusy(seconds);
    },

    async acquire(keys, conversation) {
      const release = await acquireSemaphores(keys, conversation);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(conversation, promise);
      return () => {
        release();
        running.delete(conversation);
        resolve();
      };
    },
  };
}

function semaphoresOf({ person, link }: LimitKeys, conversation: string) {
  return {
    conversation: { key: `turn in ${conversation}`, permits: 1 },
    person: { key: `turns of a person ${person}`, permits: MAX_CONCURRENT.person },
    link: { key: `turns of a link ${link}`, permits: MAX_CONCURRENT.link },
  } as const satisfies Record<string, Semaphore>;
}
