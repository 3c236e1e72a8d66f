export { isUpToDate, type Migrations, migrate, NewerSchema } from './migrate.ts';
export { postgresMigrations } from './postgres/index.ts';
export { sqliteMigrations } from './sqlite/index.ts';
