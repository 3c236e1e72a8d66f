import { chmodSync, constants, rmSync, statSync, writeFileSync } from 'node:fs';
import { backup } from 'node:sqlite';
import { UnusableDatabase } from '../ports/store.ts';
import { openForReading } from './connection.ts';
import { checkAccess, existingDatabase } from './directory-lock.ts';

/**
 * Pages per backup step. This is more than a database can have, so the backup takes a single step. SQLite restarts a
 * backup if another process writes between two steps, so a backup in several steps might never finish.
 */
const ALL_PAGES = 2_147_483_647;

// https://www.sqlite.org/rescode.html
const CORRUPT = 11;
const NOTADB = 26;

/**
 * Copies a consistent snapshot of a directory's database to a new file. The service may keep running; its write-ahead log
 * grows during the backup because no checkpoint can run. The backup contains every transaction that was committed before
 * the call. When the promise resolves, the backup is on disk. Beside it is an empty write-ahead log, which replaces the old
 * one if the backup is copied over the data directory of a killed service. SQLite would apply the old one to the backup.
 *
 * @param options `check` verifies the integrity of the backup.
 * @returns size of the backup in bytes.
 * @throws {UnusableDatabase} if there is no database or the check fails.
 */
export async function backUpDatabase(
  directory: string,
  copy: string,
  options: { readonly check: boolean },
): Promise<number> {
  checkAccess(directory, constants.R_OK);
  const file = existingDatabase(directory);
  const source = openForReading(file);
  try {
    await backup(source, copy, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  chmodSync(copy, 0o600);
  if (options.check) check(copy, file);
  writeFileSync(`${copy}-wal`, '', { mode: 0o600 });
  return statSync(copy).size;
}

function check(copy: string, original: string): void {
  const problem = problemOf(copy);
  // SQLite leaves these files behind after reading a database in WAL mode.
  for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
  if (problem === null) return;
  throw new UnusableDatabase(
    problemOf(original) === null
      ? `the backup is corrupt: ${problem}; check the disk of the backup and create it again`
      : `the database ${original} is damaged, and so is its backup: ${problem}; restore an earlier backup, see docs/operations.md`,
  );
}

/** Returns the first damage that SQLite finds in a database, or `null`. */
function problemOf(file: string): string | null {
  const db = openForReading(file);
  try {
    const [first] = db.prepare('pragma integrity_check(1)').all();
    const result = String(first?.['integrity_check']);
    return result === 'ok' ? null : result.replaceAll('\n', ' ');
  } catch (error) {
    if (![CORRUPT, NOTADB].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff))
      throw error;
    return (error as Error).message;
  } finally {
    db.close();
  }
}
