import type { Failovers } from '../failovers.ts';
import { oneByOne } from '../pace.ts';
import { attempt, type Part, type Setting, violations } from '../setting.ts';

/** Lets a standby of the database take over twice as often as there are backups. */
export function startFailovers(setting: Setting, failovers: Failovers, pauseMs: number): Part {
  const { signal, interrupted } = setting;
  return {
    run: async () => {
      await oneByOne(pauseMs / 2, signal, () =>
        // A failover excuses the failures of other work, but not its own.
        attempt({ ...setting, failovers: null }, 'failover', () => failovers.failOver()),
      );
    },
    check: async () => violations({ 'runs without a failover': failovers.count === 0 ? 1 : 0 }),
    counts: () => ({
      failovers: failovers.count,
      repeatedRequests: failovers.repeats,
      ...countsOf(interrupted),
    }),
  };
}

/** Counts what a failover interrupted by the kind of work. */
function countsOf(interrupted: readonly string[]): Readonly<Record<string, number>> {
  const byKind = Object.groupBy(interrupted, (text) => `interrupted: ${text.split(':', 1)[0]}`);
  return Object.fromEntries(
    Object.entries(byKind).map(([kind, texts]) => [kind, texts?.length ?? 0]),
  );
}
