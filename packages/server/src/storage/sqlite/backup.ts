import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { UnusableDatabase } from '../ports/store.ts';
import { openForReading } from './connection.ts';

/**
 * Pages per backup step. This is more than a database can have, so the backup takes a single step. SQLite restarts a
 * backup if another process writes between two steps, so a backup in several steps might never finish.
 */
const ALL_PAGES = 2_147_483_647;

/**
 * Copies a consistent snapshot of a directory's database to a new file. The service may keep running; its write-ahead log
 * grows during the backup because no checkpoint can run. The backup contains every transaction that was committed before
 * the call. When the promise resolves, the backup is on disk.
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
  const file = join(directory, 'gatehouse.db');
  if (!existsSync(file))
    throw new UnusableDatabase(`there is no database in ${directory}; check the path`);
  const source = openForReading(file);
  try {
    await backup(source, copy, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  chmodSync(copy, 0o600);
  if (options.check) check(copy);
  return statSync(copy).size;
}

function check(copy: string): void {
  const db = openForReading(copy);
  try {
    const [first] = db.prepare('pragma integrity_check(1)').all();
    if (first?.['integrity_check'] !== 'ok')
      throw new UnusableDatabase(
        `the backup is corrupt: ${first?.['integrity_check']}; create it again`,
      );
  } finally {
    db.close();
    // SQLite leaves these files behind after reading a database in WAL mode.
    for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
  }
}
