import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

const SQLITE_BUSY = 5;

/**
 * Locks a data directory for this process. The lock is SQLite's file lock on an empty database. The operating system
 * releases it when the process ends, even after a crash. Throws `DirectoryInUse`.
 */
export function lockDirectory(directory: string): Disposable {
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
