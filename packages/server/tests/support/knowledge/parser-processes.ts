import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildServer } from '../services/child-server.ts';

export interface ParserProcess {
  readonly pid: number;
  /** Private resident memory in MiB. */
  readonly privateMegabytes: number;
}

/** Returns the parser processes that a service or the process of a test has started. */
export function parserProcessesOf({
  process,
}: {
  readonly process: { readonly pid?: number | undefined };
}): ParserProcess[] {
  return childrenOf(process.pid ?? 0).flatMap((pid) => {
    if (!readProcess(pid, 'cmdline').includes('parser-main.')) return [];
    const status = readProcess(pid, 'status');
    return [{ pid: Number(pid), privateMegabytes: numberOf(status, 'RssAnon') / 1024 }];
  });
}

/** Returns the child processes of all threads of a process. */
function childrenOf(pid: number): string[] {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return [];
  // Some kernels have no lists of children. Reading the parents of all processes takes many times longer.
  if (!existsSync(`${threads}/${pid}/children`))
    return readdirSync('/proc').filter(
      (each) => numberOf(readProcess(each, 'status'), 'PPid') === pid,
    );
  return readdirSync(threads).flatMap((thread) =>
    readProcess(pid, `task/${thread}/children`)
      .split(' ')
      .filter((child) => child !== ''),
  );
}

/** Reports whether a process runs. A zombie does not run. */
export function isRunning(pid: number): boolean {
  return /^State:\s+[^ZX]/m.test(readProcess(pid, 'status'));
}

function readProcess(
  pid: string | number,
  file: 'status' | 'cmdline' | `task/${string}/children`,
): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function numberOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** Highest memory in MiB. */
export interface PeakMemory {
  service: number;
  /** The largest parser process, without the pages that it shares with the service. */
  parser: number;
  /** The service and all of its parser processes at the same time. */
  total: number;
}

const SAMPLE_EVERY_MS = 20;

/** Measures the memory of a service while `work` runs. */
export async function peakMemoryDuring(
  service: ChildServer,
  work: () => Promise<void>,
): Promise<PeakMemory> {
  const peak: PeakMemory = { service: 0, parser: 0, total: 0 };
  const ended = new AbortController();
  const sampling = (async () => {
    while (!ended.signal.aborted) {
      const own = service.rss();
      const parsers = parserProcessesOf(service).map(({ privateMegabytes }) => privateMegabytes);
      peak.service = Math.max(peak.service, own);
      peak.parser = Math.max(peak.parser, ...parsers);
      peak.total = Math.max(
        peak.total,
        parsers.reduce((sum, next) => sum + next, own),
      );
      await sleep(SAMPLE_EVERY_MS);
    }
  })();
  try {
    await work();
  } finally {
    ended.abort();
    await sampling;
  }
  return peak;
}
