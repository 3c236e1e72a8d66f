import { setTimeout as sleep } from 'node:timers/promises';
import { oneByOne } from '../pace.ts';
import type { Replicas } from '../replicas.ts';
import { attempt, type Part, type Setting, violations } from '../setting.ts';

/** Restarts the replicas in turn. Every second restart of a replica kills it. */
export function startRestarts(setting: Setting, replicas: Replicas, pauseMs: number): Part {
  const { signal } = setting;
  const count = replicas.all.length;
  const counts = { restarts: 0, kills: 0 };
  return {
    run: () =>
      oneByOne(0, signal, async () => {
        await sleep(pauseMs, null, { signal }).catch(() => {});
        if (signal.aborted) return;
        const turn = counts.restarts + counts.kills;
        const isKill = Math.floor(turn / count) % 2 === 1;
        await attempt(setting, 'restart', async () => {
          await replicas.restart(turn % count, isKill ? 'SIGKILL' : 'SIGTERM');
          counts[isKill ? 'kills' : 'restarts'] += 1;
        });
      }),
    check: async () => violations({ 'runs without a restart': counts.restarts === 0 ? 1 : 0 }),
    counts: () => counts,
  };
}
