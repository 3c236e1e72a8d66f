import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** A file's text and its permission bits, of one and the same file; `undefined` when there is none. */
export function readKeptFile(path: string): { text: string; mode: number } | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return { mode: fstatSync(file).mode & 0o777, text: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a file that its owner alone may read, whole and on disk, or not at all. A file that is
 * there already stays as it is, also one that another process makes at the same moment: a link,
 * unlike a rename, never replaces.
 */
export function makeKeptFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY, flag: 'wx', flush: true });
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncDirectory(dirname(path));
}

/** Puts a directory's entries on disk: without it, a power cut can take back a new name. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** The system's code of a failed call (`ENOENT`), or `undefined` for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
