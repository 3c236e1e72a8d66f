import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes that can be filled to its last byte. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  fill(): void;
  /** Gives back what `fill` took. */
  makeRoom(): void;
}

/** Mounts one in memory; null where that is not permitted. */
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
    // Somebody else took some of it meanwhile: it is full all the same.
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}
