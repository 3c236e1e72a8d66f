import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import { tooManyTurns, turnRunning } from './chat.errors.ts';

const MINUTE_MS = 60_000;
/** Beyond it, those who have not asked for a minute are forgotten. */
const MANY_OWNERS = 10_000;
const MOST_AT_ONCE = 4;
/** A client that stops an answer and asks again may be faster than the news that it has stopped. */
const PATIENCE_MS = 1000;

/** How often, and how many at once. Kept in memory: it protects a process and its model. */
export interface TurnLimits {
  /** Counts a turn of an owner. Throws 429 when the last minute had too many. */
  count(owner: string): void;
  /**
   * Lets a turn in, to be left by calling what it gives. Throws 429 when the conversation has one that
   * does not end within a second, or the owner too many.
   */
  enter(owner: string, conversation: string): Promise<() => void>;
}

/** @param perMinute turns of an owner; 0: no limit. */
export function createTurnLimits(perMinute: number, clock: Clock): TurnLimits {
  /** When each owner asked in the last minute, oldest first. */
  const asked = new Map<string, number[]>();
  const running = new Map<string, Promise<void>>();
  const atOnce = new Map<string, number>();

  function forgetTheQuiet(now: number): void {
    for (const [owner, times] of asked)
      if ((times.at(-1) ?? 0) <= now - MINUTE_MS) asked.delete(owner);
  }

  return {
    count(owner) {
      if (perMinute === 0) return;
      const now = clock();
      const times = (asked.get(owner) ?? []).filter((time) => time > now - MINUTE_MS);
      const [oldest = now] = times;
      if (times.length >= perMinute)
        throw tooManyTurns(Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1000)));
      times.push(now);
      if (asked.size >= MANY_OWNERS) forgetTheQuiet(now);
      asked.set(owner, times);
    },

    async enter(owner, conversation) {
      const key = JSON.stringify([owner, conversation]);
      const other = running.get(key);
      if (other !== undefined)
        await Promise.race([other, sleep(PATIENCE_MS, null, { ref: false })]);
      const count = atOnce.get(owner) ?? 0;
      if (running.has(key) || count >= MOST_AT_ONCE) throw turnRunning();
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(key, promise);
      atOnce.set(owner, count + 1);
      return () => {
        running.delete(key);
        const left = (atOnce.get(owner) ?? 1) - 1;
        if (left === 0) atOnce.delete(owner);
        else atOnce.set(owner, left);
        resolve();
      };
    },
  };
}
