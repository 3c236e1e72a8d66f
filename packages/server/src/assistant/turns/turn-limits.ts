import { setTimeout as sleep } from 'node:timers/promises';
import type { Rate, RateCounts, Semaphore, Semaphores } from '../../storage/ports/index.ts';
import { linkBusy, tooManyTurns, turnRunning } from '../assistant.errors.ts';
import type { Asking } from '../conversations/owner.rules.ts';

const MOST_AT_ONCE = { person: 4, link: 12 };
/** A client that stops an answer and asks the next question may be faster than our notice of the stop. */
const MAX_WAIT_MS = 1000;
/** Milliseconds between two attempts while the turn of the conversation runs in another process. */
const POLL_MS = 100;

/** Turns a minute; 0: no limit. */
export interface TurnRates {
  /** Of one person, under whichever link and session. */
  readonly person: number;
  /** Behind one link, whoever asks. */
  readonly link: number;
}

/** Limits of turns per minute and of concurrent turns, across all replicas. */
export interface TurnLimits {
  /** Counts a turn. Throws 429, and counts nothing, if the last minute had too many. */
  count(asking: Asking): Promise<void>;
  /**
   * Acquires the semaphores of a turn and returns the function that releases them. Throws 429 if the conversation has a
   * turn that does not end within a second, or if the person or the link has too many.
   */
  enter(asking: Asking, conversation: string): Promise<() => void>;
}

export interface TurnLimitsDeps {
  readonly perMinute: TurnRates;
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
}

export function createTurnLimits({ perMinute, rates, semaphores }: TurnLimitsDeps): TurnLimits {
  /** Of this process, by conversation. */
  const running = new Map<string, Promise<void>>();

  async function untilItMayBeFree(conversation: string, leftMs: number): Promise<void> {
    const other = running.get(conversation);
    if (other === undefined) await sleep(Math.min(POLL_MS, leftMs), null, { ref: false });
    else await Promise.race([other, sleep(leftMs, null, { ref: false })]);
  }

  /** Takes the semaphores of a turn, and gives how to leave them. */
  async function take(asking: Asking, conversation: string): Promise<() => void> {
    const wanted = semaphoresOf(asking, conversation);
    const waitUntil = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const taking = await semaphores.acquire([wanted.conversation, wanted.person, wanted.link]);
      if (taking.acquired) return taking.release;
      if (taking.full === wanted.link) throw linkBusy(2);
      const leftMs = waitUntil - performance.now();
      if (taking.full === wanted.person || leftMs <= 0) throw turnRunning();
      await untilItMayBeFree(conversation, leftMs);
    }
  }

  return {
    async count({ person, link }) {
      const wanted: Rate[] = [
        { limit: 'turns of a person', key: person, max: perMinute.person },
        { limit: 'turns of a link', key: link, max: perMinute.link },
      ];
      const limited = wanted.filter(({ max }) => max > 0);
      if (limited.length === 0) return;
      const exceeded = await rates.countInMinute(limited);
      if (exceeded === null) return;
      const seconds = Math.ceil(exceeded.waitMs / 1000);
      throw exceeded.rate === wanted[0] ? tooManyTurns(seconds) : linkBusy(seconds);
    },

    async enter(asking, conversation) {
      const leave = await take(asking, conversation);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(conversation, promise);
      return () => {
        leave();
        running.delete(conversation);
        resolve();
      };
    },
  };
}

function semaphoresOf({ person, link }: Asking, conversation: string) {
  return {
    conversation: { key: `turn in ${conversation}`, permits: 1 },
    person: { key: `turns of a person ${person}`, permits: MOST_AT_ONCE.person },
    link: { key: `turns of a link ${link}`, permits: MOST_AT_ONCE.link },
  } as const satisfies Record<string, Semaphore>;
}
