import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends Disposable {
  readonly path: string;
  fill(): void;
  makeRoom(): void;
}

/** Mounts a `tmpfs`. Returns `null` if mounting is not permitted. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path];
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    rmSync(path, { recursive: true });
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => fillWith(filler, path),
    makeRoom: () => rmSync(filler),
    [Symbol.dispose]: () => {
      execFileSync('umount', [path]);
      rmSync(path, { recursive: true });
    },
  };
}

function fillWith(filler: string, path: string): void {
  const { bavail, bsize } = statfsSync(path);
  try {
    if (bavail > 0) appendFileSync(filler, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // Another process has used the remaining space in the meantime, so the disk is full in this case too.
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}
