import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../ports/store.ts';

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

const SQLITE_BUSY = 5;
const FILES = ['gatehouse.lock', 'gatehouse.db', 'gatehouse.db-wal', 'gatehouse.db-shm'];

/**
 * Locks a data directory for this process. The lock is SQLite's file lock on an empty database. The operating system
 * releases it when the process ends, even after a crash. Throws `DirectoryInUse`, and the error of the system if this process may not
 * write to the directory and its files.
 */
export function lockDirectory(directory: string): Disposable {
  // SQLite opens a file that it may not write for reading, and does not lock it.
  checkAccess(directory, constants.R_OK | constants.W_OK);
  const db = new DatabaseSync(join(directory, 'gatehouse.lock'));
  try {
    db.exec('pragma busy_timeout = 0; begin exclusive');
  } catch (error) {
    db.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 !== SQLITE_BUSY) throw error;
    throw new DirectoryInUse(
      `another Gatehouse is running on the data directory ${directory}; stop it, or set GATEHOUSE_DATA_DIR to another directory`,
    );
  }
  return { [Symbol.dispose]: () => db.close() };
}

/** Returns the path of the existing database. Throws `UnusableDatabase` if there is none. */
export function existingDatabase(
  directory: string,
  advice = 'set GATEHOUSE_DATA_DIR to the data directory of the service',
): string {
  const file = join(directory, 'gatehouse.db');
  if (existsSync(file)) return file;
  throw new UnusableDatabase(`there is no database in ${directory}; ${advice}`);
}

/** Throws the error of the system if this process may not access the directory or an existing file of its store in this way. */
export function checkAccess(directory: string, mode: number): void {
  checkFile(directory, mode | constants.X_OK);
  for (const name of FILES) checkFile(join(directory, name), mode);
}

function checkFile(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  }
}
