import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

export type Child = ChildProcessByStdio<Writable, Readable, null>;

const MIB = 1024 * 1024;
const ROOT = join(import.meta.dirname, '../../../../../..');
const MAIN = join(import.meta.dirname, 'parser-main.ts');
/** The code of the parsers. The process can read no other file. */
const READABLE = [
  'node_modules',
  'package.json',
  'packages/contract',
  'packages/filter',
  'packages/server/dist',
  'packages/server/node_modules',
  'packages/server/package.json',
  'packages/server/src',
];
/** Share of the memory for V8's old generation. The rest is for buffers, young objects and the runtime. */
const HEAP_SHARE = 0.75;
/**
 * Writable address space in bytes that Node reserves at startup but does not use, plus a margin. It counts towards the limit
 * of `ulimit -d`.
 */
const RESERVED_BYTES = 800 * MIB;
/** Maximum seconds of processor time of a process. Ends a process that no other mechanism ends. */
const MAX_CPU_SECONDS = 3600;

/**
 * Returns a shell script that runs the program in its arguments under limits that the operating system enforces. The kernel ends
 * the program when its parent dies, if `setpriv` of util-linux is installed. Otherwise the program ends when it next reads its
 * input.
 */
const LIMITED = (memoryBytes: number) => `
ulimit -c 0
ulimit -d ${Math.ceil((memoryBytes + RESERVED_BYTES) / 1024)} 2>/dev/null
ulimit -t ${MAX_CPU_SECONDS} 2>/dev/null
limits='--pdeathsig KILL --no-new-privs'
setpriv $limits true 2>/dev/null && exec setpriv $limits "$@"
exec "$@"`;

/**
 * Starts a parser process. Documents are untrusted, so the process gets no environment of the service, cannot write files,
 * use the network, start processes or threads, and cannot write to the log.
 *
 * @param program file of the program. Default: the program of the parsers.
 */
export function spawnParser(memoryBytes: number, program = MAIN): Child {
  const heapMib = Math.floor((memoryBytes * HEAP_SHARE) / MIB);
  const node = [
    process.execPath,
    '--permission',
    ...READABLE.map((path) => `--allow-fs-read=${join(ROOT, path)}`),
    `--max-old-space-size=${heapMib}`,
    '--max-semi-space-size=8',
    // One helper thread per process: several processes share the cores.
    '--v8-pool-size=1',
    program,
  ];
  return spawn('/bin/sh', ['-c', LIMITED(memoryBytes), 'parser', ...node], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1' },
  });
}

/**
 * Returns the private memory of a process in bytes: resident memory without the pages of program files, which all processes
 * share. Returns 0 if the process has ended or the system has no `/proc`.
 */
export function privateMemoryOf({ pid }: Child): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = /^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? '0';
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
