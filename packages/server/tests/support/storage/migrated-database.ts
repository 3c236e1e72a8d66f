import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** In a test run on the embedded store, a database with the current schema and without data (`scripts/test.ts`). */
const MIGRATED = process.env['GATEHOUSE_TEST_DATABASE'];

/**
 * Copies the migrated database of the test run into a directory without a database. The migrations would take half of the
 * processor time of opening a new store.
 */
export function copyMigratedDatabase(directory: string): void {
  const file = join(directory, 'gatehouse.db');
  if (MIGRATED !== undefined && !existsSync(file)) copyFileSync(MIGRATED, file);
}
