import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory on most Linux machines. */
const PARENT = '/dev/shm';
const PREFIX = 'gatehouse-tests-';
/** https://www.man7.org/linux/man-pages/man2/statfs.2.html */
const TMPFS_MAGIC = 0x01021994;
/** The tests need at most about a third of this. */
const MIN_FREE_BYTES = 8 * 2 ** 30;

/**
 * Makes a folder in memory the temporary folder of this process and its child processes. Creating and deleting many small files takes
 * a quarter of the processor time of some tests on a disk. Does nothing, and returns `null`, if `TMPDIR` is set, or if there is no
 * file system in memory with enough space.
 */
export function openMemoryFolder(): Disposable | null {
  if (process.env['TMPDIR'] !== undefined || !hasSpace()) return null;
  removeAbandoned();
  const folder = mkdtempSync(join(PARENT, `${PREFIX}${process.pid}-`));
  // PostgreSQL and other servers run as another user.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return {
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true, force: true });
      // With `--watch`, the next run creates its own folder.
      delete process.env['TMPDIR'];
    },
  };
}

function hasSpace(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(PARENT);
    const free = Math.min(bavail * bsize, process.availableMemory());
    return type === TMPFS_MAGIC && free >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Removes the folders of processes that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(PARENT)) {
    const pid = Number(/^gatehouse-tests-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(join(PARENT, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
