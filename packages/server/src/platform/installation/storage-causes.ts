import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT } from './exit-codes.ts';

/** The paths to name if an error contains no path. */
export interface FailurePaths {
  /** The data directory whose database is opened. */
  readonly data: string;
  /** The path that is written. Default: `data`. */
  readonly target?: string;
}

interface FoundPaths extends Required<FailurePaths> {
  /** The path in the error, or else `target`. */
  readonly path: string;
}

interface Cause {
  /** Codes of system calls, or SQLSTATEs. */
  readonly codes: readonly string[];
  /** Message of SQLite. Errors of the writer thread have no code. */
  readonly message: RegExp | null;
  readonly exitCode: number;
  readonly explain: (reason: string, paths: FoundPaths) => string;
}

/** Causes of failed reads and writes that an operator can fix. */
const CAUSES: readonly Cause[] = [
  {
    codes: ['ENOSPC', 'EDQUOT'],
    message: /^database or disk is full/,
    exitCode: EXIT.tryLater,
    explain: (reason, { target }) =>
      `${target}: the disk is full (${reason}); free space on the disk and try again`,
  },
  {
    codes: ['EROFS'],
    message: null,
    exitCode: EXIT.misconfigured,
    explain: (reason, { target }) =>
      `${target}: the file system is read-only (${reason}); mount it writable, or use another directory`,
  },
  {
    codes: ['EACCES', 'EPERM'],
    message: /^(unable to open database file|attempt to write a readonly database)/,
    exitCode: EXIT.misconfigured,
    explain: (reason, { data, path }) => {
      const user = `the user of this process${process.getuid === undefined ? '' : ` (${process.getuid()})`}`;
      const existing = nearestExisting(path);
      // This process does not see the files of a directory that it may not search.
      if (existing === path || dirname(existing) === data)
        return `${existing}: may not be read or written (${reason}); make ${user} the owner, with mode 700 for directories and 600 for files, on a writable file system`;
      if (path === data)
        return `${path}: may not be created in ${existing} (${reason}); create the directory, make ${user} its owner, and set its mode to 700`;
      return `${existing}: nothing may be created there (${reason}); make it writable for ${user}, or use another directory`;
    },
  },
  {
    codes: ['ENOTDIR', 'EISDIR', 'EEXIST'],
    message: null,
    exitCode: EXIT.misconfigured,
    explain: (reason, { path }) =>
      `${path}: a file is at the place of a directory, or a directory at the place of a file (${reason}); check the path`,
  },
  {
    codes: [],
    message: /^(file is not a database|database disk image is malformed|malformed database schema)/,
    exitCode: EXIT.misconfigured,
    explain: (reason, { data }) =>
      `${data}/gatehouse.db: is damaged (${reason}); restore a backup, see docs/operations.md`,
  },
  {
    codes: [],
    message: /^the files of the database were replaced/,
    exitCode: EXIT.tryLater,
    explain: (reason, { data }) =>
      `${data}: ${reason}; stop the service before you restore a backup`,
  },
  {
    codes: [],
    message: /^disk I\/O error/,
    exitCode: EXIT.tryLater,
    explain: (reason, { target }) =>
      `${target}: the disk is full or failed (${reason}); free space on the disk, or check the disk, and try again`,
  },
  {
    codes: ['42501', '3F000'],
    message: null,
    exitCode: EXIT.misconfigured,
    explain: (reason) => {
      const [, schema = 'public'] = /^permission denied for schema (\S+)/.exec(reason) ?? [];
      return `the database server rejects the user of the database URL: ${reason}; make this user the owner of the database and its tables, or run as the owner: grant usage, create on schema ${schema} to <user>`;
    },
  },
  {
    codes: ['25006'],
    message: null,
    exitCode: EXIT.tryLater,
    explain: (reason) =>
      `the database is read-only (${reason}); connect to the primary, or set default_transaction_read_only = off for the database and its user`,
  },
];

/** Returns the exit code and the problem, or `null` if neither the error nor one of its causes is in the table. */
export function explainStorageFailure(
  error: unknown,
  { data, target = data }: FailurePaths,
): { readonly exitCode: number; readonly problem: string } | null {
  for (const { code, path, message } of causesOf(error)) {
    const cause = CAUSES.find(
      ({ codes, message: pattern }) => codes.includes(code) || pattern?.test(message),
    );
    if (cause === undefined) continue;
    const paths = { data, target, path: path ?? target };
    // The message of a failed system call repeats its path.
    const problem = cause.explain(/^E[A-Z]+$/.test(code) ? code : message, paths);
    return { exitCode: cause.exitCode, problem };
  }
  return null;
}

/** Returns the path, or its nearest parent directory that exists and that this process may see. */
function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

interface Details {
  readonly code: string;
  readonly path: string | undefined;
  readonly message: string;
}

/** Returns the error and its causes. If closing failed too, also the error before it. */
function causesOf(error: unknown): Details[] {
  if (!(error instanceof Error)) return [];
  const { code = codeIn(error.message), path } = error as { code?: string; path?: string };
  const own = { code, path, message: error.message };
  const more = error instanceof SuppressedError ? [error.suppressed, error.error] : [error.cause];
  return [own, ...more.flatMap(causesOf)];
}

/** Errors of the writer thread contain only the message, which starts with the code if a system call failed. */
function codeIn(message: string): string {
  return /^(E[A-Z]+): /.exec(message)?.[1] ?? '';
}
