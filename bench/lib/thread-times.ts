import { readdirSync, readFileSync } from 'node:fs';

/** Length of a kernel clock tick (`USER_HZ` is 100). */
const MICROSECONDS_PER_TICK = 10_000;

/** Returns the user and system CPU time of a process by thread name, in microseconds. */
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
