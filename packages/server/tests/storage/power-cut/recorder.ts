import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'recorder.c');
const HEAD_BYTES = 24;

export type Step =
  | {
      readonly kind: 'open';
      readonly path: string;
      readonly inode: bigint;
      readonly isNew: boolean;
    }
  | {
      readonly kind: 'write';
      readonly inode: bigint;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'truncate'; readonly inode: bigint; readonly length: number }
  | { readonly kind: 'sync'; readonly inode: bigint }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'unlink' | 'make-directory'; readonly path: string };

export type RecordedStep = Step & { readonly end: number };

/** Compiles the recorder. Returns the path of the library, or null if there is no C compiler. */
export function compileRecorder(directory: string): string | null {
  const library = join(directory, 'recorder.so');
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      execFileSync(compiler, ['--version'], { stdio: 'ignore' });
    } catch {
      continue;
    }
    execFileSync(compiler, ['-shared', '-fPIC', '-O2', '-Wall', '-o', library, SOURCE, '-ldl']);
    return library;
  }
  return null;
}

/**
 * Returns environment variables that make a process record its file operations below `directory`. The process is killed
 * when the log has `endsAt` bytes.
 */
export function recording(library: string, directory: string, log: string, endsAt: number) {
  return {
    LD_PRELOAD: library,
    POWER_CUT_DIRECTORY: directory,
    POWER_CUT_LOG: log,
    POWER_CUT_AT: String(endsAt),
    // The recorder cannot observe operations through io_uring.
    UV_USE_IO_URING: '0',
  };
}

/** Returns the length of the log. All earlier operations are complete. */
export function lengthOf(log: string): number {
  return statSync(log).size;
}

export function readSteps(log: string): RecordedStep[] {
  const bytes = readFileSync(log);
  const steps: RecordedStep[] = [];
  for (let at = 0; at < bytes.length; ) {
    const pathStart = at + HEAD_BYTES;
    const dataStart = pathStart + bytes.readUInt16LE(at + 2);
    const end = dataStart + bytes.readUInt32LE(at + 4);
    const head = bytes.subarray(at, pathStart);
    const path = bytes.toString('utf8', pathStart, dataStart);
    steps.push({ ...toStep(head, path, bytes.subarray(dataStart, end)), end });
    at = end;
  }
  return steps;
}

/** Decodes a record. `recorder.c` defines the kinds. */
function toStep(head: Buffer, path: string, data: Buffer): Step {
  const inode = head.readBigUInt64LE(8);
  const offset = Number(head.readBigUInt64LE(16));
  switch (head[0]) {
    case 1:
      return { kind: 'open', path, inode, isNew: head[1] === 1 };
    case 2:
      return { kind: 'write', inode, offset, bytes: data };
    case 3:
      return { kind: 'truncate', inode, length: offset };
    case 4:
      return { kind: 'sync', inode };
    case 5:
      return { kind: 'rename', path, to: data.toString() };
    case 6:
      return { kind: 'link', path, to: data.toString() };
    case 7:
      return { kind: 'unlink', path };
    case 8:
      return { kind: 'make-directory', path };
    default:
      throw new Error(`unknown kind of record: ${head[0]}`);
  }
}
