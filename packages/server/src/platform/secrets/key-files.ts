import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../lib/files/index.ts';

/**
 * Returns the contents and permission bits of a file, or `undefined` if the file does not exist. Both are read through one
 * descriptor, so they belong to the same file.
 */
export function readKeyFile(path: string): { text: string; mode: number } | undefined {
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
 * Creates a file with mode 0600, atomically and durably. Does nothing if the file exists, even if another process creates it
 * concurrently. A hard link is used because, unlike a rename, it never replaces a file.
 */
export function createKeyFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncDirectory(dirname(path));
}

/**
 * Copies the keys of a data directory into another directory, with mode 0600.
 *
 * @returns the names of the files. Empty if `GATEHOUSE_SECRET` provides the secret.
 */
export function copyKeys(dataDir: string, to: string): string[] {
  const keys = join(dataDir, 'keys');
  const names = existsSync(keys) ? readdirSync(keys).filter((name) => !name.endsWith('.tmp')) : [];
  if (names.length === 0) return [];
  mkdirSync(join(to, 'keys'), { mode: 0o700 });
  for (const name of names) {
    const file = readKeyFile(join(keys, name));
    if (file !== undefined) createKeyFile(join(to, 'keys', name), file.text);
  }
  syncDirectory(to);
  return names;
}

/** Returns the code of a failed system call (`ENOENT`), or `undefined` for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
