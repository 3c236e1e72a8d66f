import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { clientOf } from '../support/http/client.ts';
import { NO_HAPROXY } from '../support/http/haproxy.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { until } from '../support/until.ts';
import { startDatabaseLink } from './faults/database-link.ts';
import { DatabaseServer } from './faults/database-server.ts';

/** Prometheus gives up after 10 seconds by default. */
const MAX_SCRAPE_MS = 5000;
/** This test always starts its own PostgreSQL, so it runs only once. */
const onlyOnce = ON_POSTGRES ? 'runs with the tests on SQLite' : undefined;

test('while PostgreSQL is stopped or does not respond, /metrics answers in time and `gatehouse_ready` is 0', {
  skip: onlyOnce ?? postgresIsMissing ?? (NO_HAPROXY || undefined),
}, async () => {
  await using database = await DatabaseServer.make();
  await database.sql('create database gatehouse template template0');
  await using link = await startDatabaseLink(database.port);
  using directory = temporaryDirectory();
  await using service = await startService(directory.path, {
    env: {
      GATEHOUSE_BASE_URL: 'http://gatehouse.test',
      GATEHOUSE_SECRET: Buffer.alloc(32, 'metrics').toString('base64'),
      GATEHOUSE_DATABASE_URL: database.url('gatehouse', link.port),
    },
  });
  const request = clientOf(service.url);
  const scrape = async () => {
    const startedAt = performance.now();
    const { status, text } = await request('/metrics');
    assert.ok(performance.now() - startedAt < MAX_SCRAPE_MS, 'the scrape was too slow');
    assert.equal(status, 200);
    const names = new Set([...text.matchAll(/^(\w+)[ {]/gm)].map(([, name]) => name));
    return { ready: /^gatehouse_ready (.*)$/m.exec(text)?.[1], names };
  };
  const first = await scrape();
  assert.equal(first.ready, '1');
  for (const [fail, repair] of [
    [() => database.stop('fast'), () => database.start()],
    [link.cut, link.repair],
  ] as const) {
    await fail();
    for (let scrapes = 0; scrapes < 3; scrapes += 1) {
      const { ready, names } = await scrape();
      assert.equal(ready, '0');
      const missing = [...first.names].filter((name) => !names.has(name));
      assert.deepEqual(
        missing.filter((name) => !name?.startsWith('gatehouse_')),
        [],
      );
      assert.ok(names.has('gatehouse_http_requests_total'));
    }
    await repair();
    await until('the replica is ready', async () => (await scrape()).ready === '1');
  }
});
