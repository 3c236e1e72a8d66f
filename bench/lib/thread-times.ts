import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second (`USER_HZ`). */
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time of a process's threads so far, microseconds, user and system, by the thread's name. */
export function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const nameEnd = stat.lastIndexOf(')');
    const name = thread === String(pid) ? 'main' : stat.slice(stat.indexOf('(') + 1, nameEnd);
    const [user, system] = stat
      .slice(nameEnd + 2)
      .split(' ')
      .slice(11, 13);
    const ticks = Number(user) + Number(system);
    times.set(name, (times.get(name) ?? 0) + ticks * MICROSECONDS_PER_TICK);
  }
  return times;
}
