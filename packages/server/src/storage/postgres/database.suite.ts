import { after } from 'node:test';
import { type PrivatePostgres, startPostgres } from '@gatehouse/filter/tests/postgres';
import { openPool } from './pool.ts';

let server: Promise<PrivatePostgres> | undefined;
let databases = 0;
// Of the whole file: within a test it would end with the test.
after(async () => (await server)?.[Symbol.asyncDispose]());

/** Where the tests' server listens: one that the whole run has, or one of this file's own. */
async function home(): Promise<string> {
  const given = process.env['GATEHOUSE_TEST_POSTGRES'];
  if (given !== undefined) return given;
  server ??= startPostgres();
  return (await server).connection.host;
}

/** A database of its own for a test, which goes with the server; its URL. */
export async function newDatabase(): Promise<string> {
  const host = await home();
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  await using pool = openPool({ url: urlOf(host, 'postgres'), connections: 1, onError: () => {} });
  await pool.run(`create database ${name} template template0`);
  return urlOf(host, name);
}

function urlOf(host: string, database: string): string {
  return `postgres://gatehouse@localhost/${database}?host=${encodeURIComponent(host)}`;
}
