import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { UnusableDatabase } from '../ports/store.ts';
import { openForReading } from './connection.ts';

/**
 * More pages than there are. All of them in one step are copied from one moment; between two steps SQLite begins
 * anew whenever another process has written, so that beside a busy service it would never come to an end.
 */
const ALL_PAGES = 2_147_483_647;

/**
 * Copies the database of a directory into a new file, as it is at one moment, beside a service that goes on. Its
 * log is not moved into the database meanwhile, and grows by what is written. What was committed before the call
 * is in the copy, which is on disk when this resolves.
 *
 * @returns the size of the copy, bytes.
 * @throws {UnusableDatabase} where there is no database, or when the copy is checked and found damaged.
 */
export async function backUpDatabase(
  directory: string,
  copy: string,
  options: { readonly check: boolean },
): Promise<number> {
  const file = join(directory, 'gatehouse.db');
  if (!existsSync(file)) throw new UnusableDatabase(`there is no database in ${directory}`);
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
      throw new UnusableDatabase(`the copy is damaged: ${first?.['integrity_check']}`);
  } finally {
    db.close();
    // What a reader leaves beside a database that is written ahead.
    for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
  }
}
