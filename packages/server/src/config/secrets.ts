import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from './config-error.ts';
import { errorCode, makeKeptFile, readKeptFile, syncDirectory } from './kept-file.ts';
import { concealed } from './secret.ts';
import {
  newSigningKeyText,
  parseSigningKey,
  type SessionSigningKey,
} from './session-signing-key.ts';

const SECRET_BYTES = 32;
const OTHERS = 0o077;

/** What the service keeps to itself. Printing the whole object shows `[secret]`. */
export interface Secrets {
  readonly sessionSigningKey: SessionSigningKey;
  /** 32 random bytes. Derive a key for each purpose from it; never use it as it is. */
  readonly secret: Buffer;
}

interface KeyFile<T> {
  readonly path: string;
  readonly newText: () => string;
  readonly parse: (text: string) => T | undefined;
  readonly form: string;
  /** What is lost with this file, so that nobody deletes it without knowing. */
  readonly loss: string;
}

/**
 * Reads the secrets from `<dataDir>/keys`, and makes those that are missing. Directories it makes
 * have mode 0700 and files 0600; a file that exists is never changed.
 *
 * @throws {ConfigError} with a line for each directory or file that cannot be used, and how to mend it.
 */
export function openSecrets(dataDir: string): Secrets {
  const keys = join(dataDir, 'keys');
  openDirectories(dataDir, keys);
  const problems: string[] = [];
  const sessionSigningKey = open(signingKeyFile(keys), problems);
  const secret = open(secretFile(keys), problems);
  if (sessionSigningKey === undefined || secret === undefined) throw new ConfigError(problems);
  return concealed({ sessionSigningKey, secret });
}

function signingKeyFile(keys: string): KeyFile<SessionSigningKey> {
  return {
    path: join(keys, 'session-signing.jwk.json'),
    newText: newSigningKeyText,
    parse: parseSigningKey,
    form: 'an Ed25519 private key as a JWK',
    loss: 'open widget sessions then have to exchange their link again',
  };
}

function secretFile(keys: string): KeyFile<Buffer> {
  return {
    path: join(keys, 'secret'),
    newText: () => `${randomBytes(SECRET_BYTES).toString('base64url')}\n`,
    parse: (text) => {
      const bytes = Buffer.from(text.trimEnd(), 'base64url');
      const whole = bytes.length === SECRET_BYTES && bytes.toString('base64url') === text.trimEnd();
      return whole ? bytes : undefined;
    },
    form: `${SECRET_BYTES} bytes in base64url`,
    loss: 'everybody then has to sign in again, and every event source needs a new secret',
  };
}

function openDirectories(dataDir: string, keys: string): void {
  try {
    const made = mkdirSync(keys, { recursive: true, mode: 0o700 });
    if (made !== undefined) {
      syncDirectory(dirname(made));
      syncDirectory(dataDir);
    }
  } catch (error) {
    throw new ConfigError([`GATEHOUSE_DATA_DIR: ${dataDir} cannot be used (${reason(error)})`]);
  }
  const problem = openToOthers(keys, statSync(keys).mode, '700');
  if (problem !== undefined) throw new ConfigError([problem]);
}

function open<T>(file: KeyFile<T>, problems: string[]): T | undefined {
  try {
    if (readKeptFile(file.path) === undefined) makeKeptFile(file.path, file.newText());
    const { text, mode } = readKeptFile(file.path) ?? { text: '', mode: 0 };
    const value = file.parse(text);
    const problem = openToOthers(file.path, mode, '600') ?? (value ? undefined : corrupt(file));
    if (problem === undefined) return value;
    problems.push(problem);
  } catch (error) {
    problems.push(`${file.path}: cannot be used (${reason(error)})`);
  }
  return undefined;
}

function openToOthers(path: string, mode: number, wanted: string): string | undefined {
  if ((mode & OTHERS) === 0) return undefined;
  const found = (mode & 0o777).toString(8).padStart(4, '0');
  return `${path}: is open to others (mode ${found}); if nobody else can have read it, run: chmod ${wanted} '${path}'`;
}

function corrupt({ path, form, loss }: KeyFile<unknown>): string {
  return `${path}: is not ${form}; restore it from a backup, or delete it and a new one is made (${loss})`;
}

function reason(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}
