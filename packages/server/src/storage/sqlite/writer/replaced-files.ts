import { fstatSync, type Stats, statSync } from 'node:fs';

/** Milliseconds between two checks. A check takes about 5 µs. */
const CHECK_EVERY_MS = 1;

/** The files of the database were replaced while this process used them, for example by a backup. */
export class ReplacedFiles extends Error {
  override readonly name = 'ReplacedFiles';

  constructor() {
    super('the files of the database were replaced while the service was running');
  }
}

/**
 * Returns a function that throws `ReplacedFiles` if the database file is not the open one any more, or if the log was emptied. What this
 * process writes would be lost. Does nothing within a millisecond after a check.
 *
 * @param fd descriptor of the open database file.
 * @param hasPages returns whether this process has pages in the log.
 */
export function createAssertInPlace(file: string, fd: number, hasPages: () => boolean): () => void {
  const opened = fstatSync(fd);
  let nextCheck = 0;
  return () => {
    if (performance.now() < nextCheck) return;
    const found = statOf(file);
    const isOpened = found?.ino === opened.ino && found.dev === opened.dev;
    const isLogEmpty = (statOf(`${file}-wal`)?.size ?? 0) === 0;
    if (!isOpened || (isLogEmpty && hasPages())) throw new ReplacedFiles();
    nextCheck = performance.now() + CHECK_EVERY_MS;
  };
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
