/** The parts of a migration that differ between the engines. */
export interface Engine {
  readonly isPostgres: boolean;
  /** Type of text that is ordered by bytes. */
  readonly text: string;
  /** Type of 64-bit numbers in columns that SQLite declares as `integer`. */
  readonly integer: string;
  /** Type of 0 and 1. */
  readonly flag: string;
  readonly bytes: string;
  /** Type of the column `id` of a table whose rows belong to spaces, and the primary key at the end of the table. */
  readonly id: string;
  readonly spaceKey: string;
  /** `unique` after a column with a hash, on SQLite. */
  readonly unique: string;
  /** First column of an index that starts with the space only on PostgreSQL. */
  readonly inSpace: string;
  /** Reference to the ID of a row of the same space: after the column on SQLite, at the end of the table on PostgreSQL. */
  references(table: string): string;
  foreignKey(column: string, table: string): string;
}

export const SQLITE: Engine = {
  isPostgres: false,
  text: 'text',
  integer: 'integer',
  flag: 'integer',
  bytes: 'blob',
  id: 'text primary key',
  spaceKey: '',
  unique: ' unique',
  inSpace: '',
  references: (table) => ` references ${table} (id) on delete cascade`,
  foreignKey: () => '',
};

/**
 * Text is ordered by bytes (collation C), as in SQLite. Every unique key of a table whose rows belong to spaces starts with `space_id`, so
 * the tables can be distributed by space (deploy/citus.sql). Therefore a hash has no unique key. Two rows practically never have the same
 * 256-bit hash.
 */
export const POSTGRES: Engine = {
  isPostgres: true,
  text: 'text collate "C"',
  integer: 'bigint',
  flag: 'smallint',
  bytes: 'bytea',
  id: 'text collate "C" not null',
  spaceKey: ',\n    primary key (space_id, id)',
  unique: '',
  inSpace: 'space_id, ',
  references: () => '',
  foreignKey: (column, table) =>
    `,\n    foreign key (space_id, ${column}) references ${table} (space_id, id) on delete cascade`,
};
