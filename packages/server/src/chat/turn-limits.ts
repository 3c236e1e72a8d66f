import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import { linkBusy, tooManyTurns, turnRunning } from './chat.errors.ts';
import type { Asking } from './owner.rules.ts';

const MINUTE_MS = 60_000;
const MOST_AT_ONCE = { person: 4, link: 12 };
/** A client that stops an answer and asks again may be faster than the news that it has stopped. */
const PATIENCE_MS = 1000;

/** Turns a minute; 0: no limit. */
export interface TurnRates {
  /** Of one person, under whichever link and session. */
  readonly person: number;
  /** Behind one link, whoever asks. */
  readonly link: number;
}

/** How often, and how many at once. Kept in memory: it protects a process and its model. */
export interface TurnLimits {
  /** Counts a turn. Throws 429, and counts nothing, when the last minute had too many. */
  count(asking: Asking): void;
  /**
   * Lets a turn in, to be left by calling what it gives. Throws 429 when the conversation has one that
   * does not end within a second, or the person or the link too many.
   */
  enter(asking: Asking, conversation: string): Promise<() => void>;
}

export function createTurnLimits(perMinute: TurnRates, clock: Clock): TurnLimits {
  const asked = new RecentTimes();
  const running = new Map<string, Promise<void>>();
  const atOnce = new Map<string, number>();

  const add = (key: string, more: 1 | -1): void => {
    const count = (atOnce.get(key) ?? 0) + more;
    if (count === 0) atOnce.delete(key);
    else atOnce.set(key, count);
  };

  return {
    count({ person, link }) {
      const now = clock();
      const wait = (key: string, most: number) => (most === 0 ? 0 : asked.wait(key, most, now));
      const forPerson = wait(person, perMinute.person);
      if (forPerson > 0) throw tooManyTurns(forPerson);
      const forLink = wait(link, perMinute.link);
      if (forLink > 0) throw linkBusy(forLink);
      if (perMinute.person > 0) asked.add(person, now);
      if (perMinute.link > 0) asked.add(link, now);
    },

    async enter({ person, link }, conversation) {
      const other = running.get(conversation);
      if (other !== undefined)
        await Promise.race([other, sleep(PATIENCE_MS, null, { ref: false })]);
      if (running.has(conversation) || (atOnce.get(person) ?? 0) >= MOST_AT_ONCE.person)
        throw turnRunning();
      if ((atOnce.get(link) ?? 0) >= MOST_AT_ONCE.link) throw linkBusy(2);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(conversation, promise);
      for (const key of [person, link]) add(key, 1);
      return () => {
        running.delete(conversation);
        for (const key of [person, link]) add(key, -1);
        resolve();
      };
    },
  };
}

/** When each of many asked in the last minute. Whoever has not asked for that long is forgotten. */
class RecentTimes {
  /** Oldest first, and so are the keys by their newest time. */
  readonly #times = new Map<string, readonly number[]>();

  /** Whole seconds until the last minute has fewer than `most` times of this key; 0: it has. */
  wait(key: string, most: number, now: number): number {
    const recent = this.#recent(key, now);
    const [oldest = now] = recent;
    return recent.length < most ? 0 : Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1000));
  }

  add(key: string, now: number): void {
    const times = [...this.#recent(key, now), now];
    this.#times.delete(key);
    this.#times.set(key, times);
    for (const [other, others] of this.#times) {
      if ((others.at(-1) ?? 0) > now - MINUTE_MS) break;
      this.#times.delete(other);
    }
  }

  #recent(key: string, now: number): readonly number[] {
    return (this.#times.get(key) ?? []).filter((time) => time > now - MINUTE_MS);
  }
}
