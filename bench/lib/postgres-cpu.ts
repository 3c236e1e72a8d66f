import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MICROSECONDS_PER_TICK = 10_000;

/**
 * Returns the CPU time of a PostgreSQL server's main process and all its children, including exited ones, in microseconds. Other work
 * on the machine hardly affects it.
 *
 * @param home directory of the server; see `startPostgres`.
 */
export function postgresCpu(home: string): number {
  const first = readFileSync(join(home, 'data/postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = fieldsOf(pid);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    if (pid === first) ticks += user + system + endedUser + endedSystem;
    else if (fields[1] === first) ticks += user + system;
  }
  return ticks * MICROSECONDS_PER_TICK;
}

/** Returns the fields of `/proc/<pid>/stat` after the process name. The second returned field is the ID of the parent process. */
function fieldsOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
