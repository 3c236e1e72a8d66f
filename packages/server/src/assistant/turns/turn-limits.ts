import { setTimeout as sleep } from 'node:timers/promises';
import type { Rate, RateCounts, Semaphore, Semaphores } from '../../storage/ports/index.ts';
import { linkBusy, tooManyTurns, turnRunning } from '../assistant.errors.ts';
import type { Asking } from '../conversations/owner.rules.ts';

const MOST_AT_ONCE = { person: 4, link: 12 };
/** A client that stops an answer and asks again may be faster than the news that it has stopped. */
const PATIENCE_MS = 1000;
/** How often a conversation is looked at whose turn runs in another process. */
const LOOK_AGAIN_MS = 100;

/** Turns a minute; 0: no limit. */
export interface TurnRates {
  /** Of one person, under whichever link and session. */
  readonly person: number;
  /** Behind one link, whoever asks. */
  readonly link: number;
}

/** How often, and how many at once, whichever replicas they ask. */
export interface TurnLimits {
  /** Counts a turn. Throws 429, and counts nothing, when the last minute had too many. */
  count(asking: Asking): Promise<void>;
  /**
   * Lets a turn in, to be left by calling what it gives. Throws 429 when the conversation has one that
   * does not end within a second, or the person or the link too many.
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

  async function whenItMayBeFree(conversation: string, patienceMs: number): Promise<void> {
    const other = running.get(conversation);
    if (other === undefined) await sleep(Math.min(LOOK_AGAIN_MS, patienceMs), null, { ref: false });
    else await Promise.race([other, sleep(patienceMs, null, { ref: false })]);
  }

  /** Takes the semaphores of a turn, and gives how to leave them. */
  async function take(asking: Asking, conversation: string): Promise<() => void> {
    const wanted = placesOf(asking, conversation);
    const patientUntil = performance.now() + PATIENCE_MS;
    for (;;) {
      const taking = await semaphores.acquire([wanted.conversation, wanted.person, wanted.link]);
      if (taking.acquired) return taking.release;
      if (taking.full === wanted.link) throw linkBusy(2);
      const patienceMs = patientUntil - performance.now();
      if (taking.full === wanted.person || patienceMs <= 0) throw turnRunning();
      await whenItMayBeFree(conversation, patienceMs);
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

function placesOf({ person, link }: Asking, conversation: string) {
  return {
    conversation: { key: `turn in ${conversation}`, permits: 1 },
    person: { key: `turns of a person ${person}`, permits: MOST_AT_ONCE.person },
    link: { key: `turns of a link ${link}`, permits: MOST_AT_ONCE.link },
  } as const satisfies Record<string, Semaphore>;
}
