import { fstatSync, type Stats, statSync } from 'node:fs';

/** The files of the database were replaced while this process used them, for example by a backup. */
export class ReplacedFiles extends Error {
  override readonly name = 'ReplacedFiles';

  constructor() {
    super('the files of the database were replaced while the service was running');
  }
}

/**
 * Throws `ReplacedFiles` if the database file is not the open one any more, or if the log was emptied. What this process writes would
 * be lost.
 *
 * @param fd descriptor of the open database file.
 * @param pages number of pages that this process has in the log.
 */
export function assertInPlace(file: string, fd: number, pages: number): void {
  const [opened, found, log] = [fstatSync(fd), statOf(file), statOf(`${file}-wal`)];
  const isOpened = found?.ino === opened.ino && found.dev === opened.dev;
  const isLogComplete = pages === 0 || (log?.size ?? 0) > 0;
  if (!isOpened || !isLogComplete) throw new ReplacedFiles();
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
