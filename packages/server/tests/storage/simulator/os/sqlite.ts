/** Replaces `node:sqlite` in the simulated process. Databases of the simulated directory are on the simulated disk. */
import { DatabaseSync as Database, type DatabaseSyncOptions } from 'node:sqlite';
import { DIRECTORY } from './disk.ts';

export { backup, StatementSync } from 'node:sqlite';

const opened = new Set<Database>();

export class DatabaseSync extends Database {
  constructor(path: string, options: DatabaseSyncOptions = {}) {
    const isSimulated = path.startsWith(DIRECTORY);
    super(isSimulated ? `file:${path}?vfs=simulated` : path, options);
    opened.add(this);
  }

  override close(): void {
    opened.delete(this);
    super.close();
  }
}

/** Closes the connections of a dead process. */
export function closeAll(): void {
  for (const db of [...opened])
    try {
      db.close();
    } catch {
      // The files of a dead process cannot be written.
    }
  opened.clear();
}
