import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyMigratedDatabase } from '../../../tests/support/storage/migrated-database.ts';
import { openSqlite, type SqliteOptions, type SqliteStore as Store } from './index.ts';

export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function openStore(directory: string, options: Partial<SqliteOptions> = {}): Promise<Store> {
  const fail = (error: unknown): never => {
    throw error;
  };
  copyMigratedDatabase(directory);
  return openSqlite({
    directory,
    queueBytes: 64 * 1024 * 1024,
    onDeath: fail,
    onError: fail,
    ...options,
  });
}
