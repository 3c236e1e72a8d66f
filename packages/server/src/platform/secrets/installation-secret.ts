import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../lib/files/index.ts';
import { createKeyFile, errorCode, readKeyFile } from './key-files.ts';

const SECRET_BYTES = 32;
export const SECRET_FORM = `${SECRET_BYTES} bytes in base64 or base64url`;

export const MAKE_SECRET = 'openssl rand -base64 32';

export interface OpenedSecret {
  /** 32 random bytes. Derive a key for each purpose, and never use the secret itself as a key. */
  readonly secret: Buffer;
  /** The file or setting that contains the secret, for messages. */
  readonly from: string;
  /**
   * Deletes the secret file that this call created, and its directory if this call created it. Use this function if the database has a
   * different secret, so its own file is missing. `null`: no file was created.
   */
  readonly deleteCreatedFile: (() => void) | null;
}

/** Thrown if a secret, its file or its directory cannot be used. The message tells the operator how to fix the problem. */
export class UnusableSecret extends Error {
  override readonly name = 'UnusableSecret';
}

/** Decodes a secret in base64 or base64url. Returns `undefined` if the string is not such a secret. */
export function parseSecret(text: string): Buffer | undefined {
  const plain = text.replace(/=$/, '').replaceAll('+', '-').replaceAll('/', '_');
  const bytes = Buffer.from(plain, 'base64url');
  const isValid = bytes.length === SECRET_BYTES && bytes.toString('base64url') === plain;
  return isValid ? bytes : undefined;
}

/**
 * Opens the secret in `<dataDir>/keys/secret`, and creates the file if it does not exist. If the operator provides a secret, no
 * file is created, and an existing file must contain the same secret. New directories have mode 0700 and the file has mode 0600.
 * An existing file is never changed.
 *
 * @throws {UnusableSecret}
 */
export function openSecret(dataDir: string, given: Buffer | null): OpenedSecret {
  const keys = join(dataDir, 'keys');
  const path = join(keys, 'secret');
  const isNewDirectory = createDirectory(dataDir, given === null ? keys : dataDir);
  checkMode(keys, statSync(keys, { throwIfNoEntry: false })?.mode ?? 0, '700');
  let isNew = false;
  const text = usingFile(path, () => {
    isNew = given === null && readKeyFile(path) === undefined;
    if (isNew) createKeyFile(path, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`);
    const file = readKeyFile(path);
    if (file !== undefined) checkMode(path, file.mode, '600');
    return file?.text;
  });
  if (text === undefined)
    return { secret: given as Buffer, from: 'GATEHOUSE_SECRET', deleteCreatedFile: null };
  const secret = parseSecret(text.trimEnd());
  if (secret === undefined)
    throw new UnusableSecret(
      `${path}: is not ${SECRET_FORM}; restore it from a backup (without it the secrets of event sources and subscriptions are lost)`,
    );
  if (given !== null && !given.equals(secret))
    throw new UnusableSecret(
      `GATEHOUSE_SECRET: differs from the secret in ${path}; remove the one that does not belong to this installation`,
    );
  return {
    secret,
    from: path,
    deleteCreatedFile: isNew ? () => deleteCreated(path, isNewDirectory) : null,
  };
}

function deleteCreated(path: string, isNewDirectory: boolean): void {
  rmSync(path, { force: true });
  // Another process may have created a file in the directory.
  if (isNewDirectory && readdirSync(dirname(path)).length === 0) rmdirSync(dirname(path));
}

/** Returns `false` if the directory exists already. */
function createDirectory(dataDir: string, directory: string): boolean {
  try {
    const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (first === undefined) return false;
    syncDirectory(dirname(first));
    syncDirectory(dataDir);
    return true;
  } catch (error) {
    throw new UnusableSecret(`GATEHOUSE_DATA_DIR: ${dataDir} cannot be used (${reasonOf(error)})`, {
      cause: error,
    });
  }
}

function checkMode(path: string, mode: number, wanted: string): void {
  if ((mode & 0o077) === 0) return;
  const actual = (mode & 0o777).toString(8).padStart(4, '0');
  throw new UnusableSecret(
    `${path}: is accessible to other users (mode ${actual}); if nobody else can have read it, run: chmod ${wanted} '${path}'`,
  );
}

function usingFile<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof UnusableSecret) throw error;
    throw new UnusableSecret(`${path}: cannot be used (${reasonOf(error)})`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}
