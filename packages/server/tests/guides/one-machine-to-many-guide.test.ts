import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import pg from 'pg';
import { newEmptyDatabase } from '../../src/storage/postgres/database.suite.ts';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { GuideShell } from '../support/guides/shell.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';

const EXAMPLE = /postgres:\/\/gatehouse(:…)?@db\.example\/gatehouse/;
/** Name of the role and of the database. The test server has other roles and databases. */
const NAME = `guide_${process.pid}`;

test('the guide moves an installation to PostgreSQL and back', {
  skip: ON_POSTGRES ? 'uses both backends' : postgresIsMissing || skipWithout('bash', 'npm'),
}, async () => {
  const guide = openGuide('one-machine-to-many');
  using directory = temporaryDirectory();
  const data = join(directory.path, 'data');
  const token = await createLink(data);

  const given = await newEmptyDatabase();
  await execute(given, guide.next('sql').replaceAll(/\bgatehouse\b/g, NAME));
  const target = new URL(given);
  target.username = NAME;
  target.pathname = `/${NAME}`;

  const shell = new GuideShell({});
  const copy = guide.next('sh').replace(EXAMPLE, `'${target.href}'`).replace('./data', data);
  await shell.run(copy);

  const secret = readFileSync(join(data, 'keys/secret'), 'utf8').trim();
  const settings = [...guide.next('sh').matchAll(/^(\w+)=(\S+)/gm)].map(
    ([, name = '', value = '']) => [name, value.replace(EXAMPLE, target.href).replace('…', secret)],
  );
  const service = await startService(directory.path, { env: Object.fromEntries(settings) });
  const exchange = { body: { linkToken: token } };
  const exchanged = await clientOf(service.url)('/assistant-link/exchange', exchange);
  await service.stop();
  assert.equal(exchanged.status, 200, exchanged.text);

  const again = join(directory.path, 'data-again');
  const back = guide.next('sh').replace(EXAMPLE, `'${target.href}'`);
  await shell.run(back.replace('./data-again', again));
  assert.ok(existsSync(join(again, 'gatehouse.db')));
});

/** Starts a service on a new data directory, creates a link and stops the service. Returns the token of the link. */
async function createLink(data: string): Promise<string> {
  const service = await startService(data);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const { token } = await makeLink(client, key, {});
  await service.stop();
  return token;
}

/** Executes statements, each of which is one line. */
async function execute(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements.trim().split('\n')) await client.query(statement);
  } finally {
    await client.end();
  }
}
