import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Takes the tables (but the full-text index, which is nothing without them) of a running service away, so that whatever it does next goes wrong for real. */
export function breakTables(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  db.exec('pragma busy_timeout = 5000');
  const tables = db
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
       and name not like 'passages\\_%' escape '\\'`)
    .all();
  for (const { name } of tables) db.exec(`alter table "${name}" rename to "${name}_away"`);
  db.close();
}
