import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes the entries of a directory. Without this flush, a power failure can undo the creation of a file. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
