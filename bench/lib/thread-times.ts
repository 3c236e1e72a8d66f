import { readdirSync, readFileSync } from 'node:fs';

/** Length of a kernel clock tick (`USER_HZ` is 100). */
const MICROSECONDS_PER_TICK = 10_000;

/** Returns the user and system CPU time of a process by thread name, in microseconds. */
export function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const name = thread === String(pid) ? 'main' : stat.slice(stat.indexOf('(') + 1, nameEnd(stat));
    times.set(name, (times.get(name) ?? 0) + cpuTime(stat));
  }
  return times;
}

/** Returns the user and system CPU time of a process, in microseconds. */
export function processTime(pid: number): number {
  return threadTimes(pid)
    .values()
    .reduce((sum, time) => sum + time, 0);
}

/** Returns the CPU time of the running child processes of a process, in microseconds. */
export function childTimes(pid: number): number {
  let sum = 0;
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(entry);
    if (stat !== null && Number(fieldsOf(stat)[1]) === pid) sum += cpuTime(stat);
  }
  return sum;
}

/** Returns null if the process has ended. */
function statOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}

function cpuTime(stat: string): number {
  const [user, system] = fieldsOf(stat).slice(11, 13);
  return (Number(user) + Number(system)) * MICROSECONDS_PER_TICK;
}

/** Returns the fields after the name, which may contain spaces. */
function fieldsOf(stat: string): string[] {
  return stat.slice(nameEnd(stat) + 2).split(' ');
}

function nameEnd(stat: string): number {
  return stat.lastIndexOf(')');
}
