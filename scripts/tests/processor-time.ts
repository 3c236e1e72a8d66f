/**
 * Measures the processor time of the test files. On a busy machine, it says more about a test than the duration. This module is
 * preloaded into the processes of the tests, and appends to the file `GATEHOUSE_TEST_TIMES` the time of the process at its end.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const FILE = process.env['GATEHOUSE_TEST_TIMES'];
/** Linux counts in hundredths of a second for programs, whatever the kernel's own frequency is. */
const TICKS_PER_SECOND = 100;

if (isMainThread && FILE !== undefined) {
  // Child processes do not belong to a test file of this run, even if they run tests.
  delete process.env['GATEHOUSE_TEST_TIMES'];
  process.once('exit', () => record(null, processorSeconds()));
}

/** Adds seconds to the time of a test file. `null`: the whole process. */
export function record(test: string | null, seconds: number): void {
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify([test, seconds])}\n`);
}

/** Reads the file `GATEHOUSE_TEST_TIMES` of an ended process. Returns seconds by test file, and under `null` of the whole process. */
export function readRecords(file: string): Map<string | null, number> {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return new Map(lines.map((line): [string | null, number] => JSON.parse(line)));
}

/**
 * Returns the processor seconds of this process and its ended child processes, with theirs. Processes that their parent did not wait
 * for are missing, for example those of pages in Chromium. On systems other than Linux, without
 * those of child processes.
 */
export function processorSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The second field is the name of the program and may contain spaces. `cutime` and `cstime` are fields 16 and 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
