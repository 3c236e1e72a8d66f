// Test program that hangs in the middle of a migration until the test kills the program.
import { sql } from 'kysely';
import { openDatabase } from '../sqlite/open-database.suite.ts';
import { migrate } from './migrate.ts';

const [, , file = ''] = process.argv;
await migrate(openDatabase(file).db, {
  '0001-half': {
    up: async (db) => {
      await sql`create table half (id integer)`.execute(db);
      await sql`insert into half (id) values (1)`.execute(db);
      process.stdout.write('inside\n');
      await new Promise(() => {});
    },
  },
});
