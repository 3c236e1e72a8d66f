import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { FilterRecord } from '../src/evaluate/record.ts';
import { fold } from '../src/evaluate/text.ts';
import type { Filter } from '../src/language/filter.ts';
import {
  collectedValues,
  foldMetadata,
  indexedValues,
  type SqlLayout,
  toPostgres,
  toSqlite,
  withNumbers,
  withQuestionMarks,
} from '../src/sql/index.ts';
import { startPostgres } from './postgres.ts';

export interface Engine extends AsyncDisposable {
  readonly name: string;
  /** Returns the indexes of the matching records in ascending order, starting at 0. */
  select(filter: Filter, layout?: SqlLayout): Promise<number[]>;
  explain(filter: Filter, layout?: SqlLayout): Promise<string>;
  /** Reports whether the filter's condition is NULL for any record. */
  isEverNull(filter: Filter, layout?: SqlLayout): Promise<boolean>;
}

export const json: SqlLayout = { documents: 'd' };
export const indexed: SqlLayout = {
  documents: 'd',
  values: {
    table: 'document_values',
    document: 'document',
    key: 'number',
    spaceId: 'space',
  },
};
export const layoutsOf = {
  SQLite: { 'without a values table': json, 'with a values table': indexed },
  PostgreSQL: { 'without a values table': json },
};

const insertDocument = 'INSERT INTO documents VALUES';
const insertValue = 'INSERT INTO document_values VALUES';

export async function openSqlite(records: readonly FilterRecord[]): Promise<Engine> {
  const db = new DatabaseSync(':memory:');
  db.exec(tables('TEXT', 'WITHOUT ROWID'));
  const document = db.prepare(`${insertDocument} (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const value = db.prepare(`${insertValue} (?, ?, ?, ?)`);
  db.exec('BEGIN');
  records.forEach((record, at) => {
    document.run(...documentRow(record, at));
    for (const row of valueRows(record, at)) value.run(...row);
  });
  db.exec('COMMIT; ANALYZE');
  function all(before: string, filter: Filter, layout: SqlLayout, after = '') {
    const condition = toSqlite(filter, layout);
    const statement = `${before} ${withQuestionMarks(condition)} ${after}`;
    return db.prepare(statement).all(...condition.values);
  }
  return {
    name: 'SQLite',
    select: async (filter, layout = json) =>
      all('SELECT number FROM documents AS d WHERE', filter, layout, 'ORDER BY number').map((row) =>
        Number(row['number']),
      ),
    explain: async (filter, layout = json) =>
      all('EXPLAIN QUERY PLAN SELECT number FROM documents AS d WHERE', filter, layout)
        .map((row) => row['detail'])
        .join('\n'),
    isEverNull: async (filter, layout = json) =>
      all('SELECT number FROM documents AS d WHERE', filter, layout, 'IS NULL').length > 0,
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

export async function openPostgres(records: readonly FilterRecord[]): Promise<Engine> {
  const server = await startPostgres();
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(tables('jsonb'));
  await client.query('BEGIN');
  for (const [at, record] of records.entries()) {
    await client.query(`${insertDocument} ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, [
      ...documentRow(record, at),
    ]);
    for (const row of valueRows(record, at)) {
      await client.query(`${insertValue} ($1, $2, $3, $4)`, [...row]);
    }
  }
  await client.query('COMMIT');
  await client.query('ANALYZE');
  async function all(before: string, filter: Filter, layout: SqlLayout, after = '') {
    const condition = toPostgres(filter, layout);
    const statement = `${before} ${withNumbers(condition)} ${after}`;
    const result = await client.query<Record<string, unknown>>(statement, [...condition.values]);
    return result.rows;
  }
  return {
    name: 'PostgreSQL',
    select: async (filter, layout = json) => {
      const rows = await all(
        'SELECT number FROM documents AS d WHERE',
        filter,
        layout,
        'ORDER BY number',
      );
      return rows.map((row) => Number(row['number']));
    },
    explain: async (filter, layout = json) => {
      const rows = await all('EXPLAIN SELECT number FROM documents AS d WHERE', filter, layout);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    },
    isEverNull: async (filter, layout = json) =>
      (await all('SELECT number FROM documents AS d WHERE', filter, layout, 'IS NULL')).length > 0,
    async [Symbol.asyncDispose]() {
      await client.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

function tables(jsonType: string, valuesOption = ''): string {
  return `
    CREATE TABLE documents (
      number integer PRIMARY KEY, file_name text NOT NULL, file_name_folded text NOT NULL,
      mime_type text NOT NULL, language text, created_at text NOT NULL, updated_at text NOT NULL,
      metadata ${jsonType} NOT NULL, metadata_folded ${jsonType} NOT NULL,
      metadata_collected ${jsonType}
    );
    CREATE TABLE document_values (
      space_id text, path text, value text, document integer,
      PRIMARY KEY (space_id, path, value, document)
    ) ${valuesOption};`;
}

function documentRow(record: FilterRecord, at: number) {
  const collected = collectedValues(record.metadata);
  return [
    at,
    record.fileName,
    fold(record.fileName),
    record.mimeType,
    record.language,
    record.createdAt,
    record.updatedAt,
    JSON.stringify(record.metadata),
    JSON.stringify(foldMetadata(record.metadata)),
    collected === null ? null : JSON.stringify(collected),
  ] as const;
}

function valueRows(record: FilterRecord, at: number) {
  return indexedValues(record.metadata).map(
    ({ path, value }) => ['space', path, value, at] as const,
  );
}
