import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from './config-error.ts';
import { errorCode, makeKeptFile, readKeptFile, syncDirectory } from './kept-file.ts';
import { parseSecret, SECRET_BYTES, SECRET_FORM } from './secret-kind.ts';

const OTHERS = 0o077;

/** The secret of the installation: 32 random bytes. Derive a key for each purpose from it; never use it as it is. */
export interface OpenedSecret {
  readonly secret: Buffer;
  /** Where it is from, for words to the operator. */
  readonly from: string;
  /** Removes the file that was made for it just now, since it turned out that there is a secret elsewhere. */
  readonly takeBack: (() => void) | null;
}

/** The file of an earlier release, in which the one key for widget sessions stood. */
export interface FormerKeyFile {
  readonly path: string;
  readonly text: string;
  /** Call it when the key is kept elsewhere. */
  remove(): void;
}

/**
 * The secret that is kept in `<dataDir>/keys/secret`, which is made where it is missing, unless one is
 * given: then none is kept, and one that is there must be the same. Directories that are made have mode
 * 0700 and the file 0600; a file that exists is never changed.
 *
 * @throws {ConfigError} with a line for each directory or file that cannot be used, and how to mend it.
 */
export function openSecret(dataDir: string, given: Buffer | null): OpenedSecret {
  const keys = keysIn(dataDir);
  const path = join(keys, 'secret');
  makeDirectory(dataDir, given === null ? keys : dataDir);
  checkKeysDirectory(keys);
  let made = false;
  const kept = usingFile(path, () => {
    made = given === null && readKeptFile(path) === undefined;
    if (made) makeKeptFile(path, newSecretText());
    return readOwn(path);
  });
  if (kept === undefined)
    return { secret: given as Buffer, from: 'GATEHOUSE_SECRET', takeBack: null };
  const secret = parseSecret(kept.trimEnd());
  if (secret === undefined) throw new ConfigError([corrupt(path)]);
  if (given !== null && !given.equals(secret))
    throw new ConfigError([
      `GATEHOUSE_SECRET: is another secret than the one in ${path}; remove the one that is not the installation's`,
    ]);
  return { secret, from: path, takeBack: made ? () => rmSync(path, { force: true }) : null };
}

/** The key file of an earlier release; null when there is none. Throws `ConfigError`. */
export function findFormerKey(dataDir: string): FormerKeyFile | null {
  const path = join(keysIn(dataDir), 'session-signing.jwk.json');
  const text = usingFile(path, () => readOwn(path));
  if (text === undefined) return null;
  return {
    path,
    text,
    remove: () => {
      rmSync(path, { force: true });
      syncDirectory(dirname(path));
    },
  };
}

function keysIn(dataDir: string): string {
  return join(dataDir, 'keys');
}

function newSecretText(): string {
  return `${randomBytes(SECRET_BYTES).toString('base64url')}\n`;
}

function makeDirectory(dataDir: string, directory: string): void {
  try {
    const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (made !== undefined) {
      syncDirectory(dirname(made));
      syncDirectory(dataDir);
    }
  } catch (error) {
    throw new ConfigError([`GATEHOUSE_DATA_DIR: ${dataDir} cannot be used (${reason(error)})`]);
  }
}

function checkKeysDirectory(keys: string): void {
  const mode = statSync(keys, { throwIfNoEntry: false })?.mode ?? 0;
  const problem = openToOthers(keys, mode, '700');
  if (problem !== undefined) throw new ConfigError([problem]);
}

/** The text of a file that its owner alone may read; undefined when there is none. */
function readOwn(path: string): string | undefined {
  const file = readKeptFile(path);
  if (file === undefined) return undefined;
  const problem = openToOthers(path, file.mode, '600');
  if (problem !== undefined) throw new ConfigError([problem]);
  return file.text;
}

function usingFile<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`${path}: cannot be used (${reason(error)})`]);
  }
}

function openToOthers(path: string, mode: number, wanted: string): string | undefined {
  if ((mode & OTHERS) === 0) return undefined;
  const found = (mode & 0o777).toString(8).padStart(4, '0');
  return `${path}: is open to others (mode ${found}); if nobody else can have read it, run: chmod ${wanted} '${path}'`;
}

function corrupt(path: string): string {
  return `${path}: is not ${SECRET_FORM}; restore it from a backup (without it the secrets of event sources and subscriptions are lost)`;
}

function reason(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}
