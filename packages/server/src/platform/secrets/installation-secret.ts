import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../lib/files/index.ts';
import { createKeyFile, errorCode, readKeyFile } from './key-files.ts';

const SECRET_BYTES = 32;
export const SECRET_FORM = `${SECRET_BYTES} bytes in base64 or base64url`;

export const MAKE_SECRET = 'openssl rand -base64 32';

export interface OpenedSecret {
  /** 32 random bytes. Derive a key for each purpose, and never use the secret itself as a key. `null`: the file does not exist. */
  readonly secret: Buffer | null;
  /** The file or setting that contains the secret, for messages. */
  readonly from: string;
  /**
   * Creates the file with a new secret, unless another process has created it. Returns the secret of the file. Call this only if the
   * database has no secret yet, because a new secret cannot decrypt its data.
   */
  readonly create: () => Buffer;
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
 * Opens the secret in `<dataDir>/keys/secret`. If the operator provides a secret, an existing file must contain the same secret. Creates the
 * data directory, with mode 0700. An existing file is never changed.
 *
 * @throws {UnusableSecret}
 */
export function openSecret(dataDir: string, given: Buffer | null): OpenedSecret {
  const path = join(dataDir, 'keys', 'secret');
  createDirectory(dataDir, dataDir);
  const secret = readSecret(path);
  if (given !== null && secret !== null && !given.equals(secret))
    throw new UnusableSecret(
      `GATEHOUSE_SECRET: differs from the secret in ${path}; remove the one that does not belong to this installation`,
    );
  return {
    secret: secret ?? given,
    from: given !== null && secret === null ? 'GATEHOUSE_SECRET' : path,
    create: () => given ?? createSecret(dataDir, path),
  };
}

/** Returns `null` if the file does not exist. */
function readSecret(path: string): Buffer | null {
  const keys = dirname(path);
  checkMode(keys, statSync(keys, { throwIfNoEntry: false })?.mode ?? 0, '700');
  const file = usingFile(path, () => readKeyFile(path));
  if (file === undefined) return null;
  checkMode(path, file.mode, '600');
  const secret = parseSecret(file.text.trimEnd());
  if (secret === undefined)
    throw new UnusableSecret(
      `${path}: is not ${SECRET_FORM}; restore it from a backup (without it the secrets of event sources and subscriptions are lost)`,
    );
  return secret;
}

/** Creates the file with mode 0600, and its directory with mode 0700. */
function createSecret(dataDir: string, path: string): Buffer {
  createDirectory(dataDir, dirname(path));
  usingFile(path, () =>
    createKeyFile(path, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`),
  );
  return readSecret(path) as Buffer;
}

function createDirectory(dataDir: string, directory: string): void {
  try {
    const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    syncDirectory(dirname(first));
    syncDirectory(dataDir);
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
