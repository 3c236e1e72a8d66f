import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { openForReading } from './connection.ts';
import { createDialect, readFrom } from './dialect.ts';
import { Writer, type WriterOptions } from './writer/writer.ts';

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Kysely<unknown>;
  readonly writer: Writer;
}

export function openDatabase(file: string, options: Partial<WriterOptions> = {}): OpenDatabase {
  const fail = (error: unknown): never => {
    throw error;
  };
  closeSync(openSync(file, 'a'));
  const writer = new Writer({
    file,
    queueBytes: 64 * 1024 * 1024,
    onDeath: fail,
    onError: fail,
    ...options,
  });
  const reader = openForReading(file);
  return {
    db: new Kysely<unknown>({ dialect: createDialect(readFrom(reader), writer) }),
    writer,
    [Symbol.asyncDispose]: async () => {
      await writer.close();
      reader.close();
    },
  };
}

export function schemaOf(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare('select sql from sqlite_schema where sql is not null order by sql').all();
  db.close();
  return rows.map((row) => String(row['sql']));
}
