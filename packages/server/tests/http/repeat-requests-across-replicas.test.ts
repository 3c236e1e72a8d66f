/** Two replicas on one PostgreSQL database receive requests with the same `Idempotency-Key`. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import pg from 'pg';
import { type Client, clientOf } from '../support/http/client.ts';
import { beginUpload, runUpload } from '../support/knowledge/partial-upload.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { type Replicas, startReplicas } from '../support/storage/replicas.ts';
import { until } from '../support/until.ts';

const ROUNDS = 15;

describe('two replicas', { skip: postgresIsMissing }, () => {
  let replicas: Replicas;
  let [one, other] = [] as unknown as [Client, Client];
  let key = '';
  let documents = '';
  before(async () => {
    // The response contains the public URL, which all replicas share.
    replicas = await startReplicas(2, { GATEHOUSE_BASE_URL: 'https://gate.example' });
    [one, other] = replicas.services.map(({ url }) => clientOf(url)) as [Client, Client];
    const session = await signIn(one);
    const { id } = await makeSpace(one, session);
    documents = `/spaces/${id}/documents`;
    key = await makeKey(one, session, id, ['links:write', 'knowledge:write', 'read']);
  });
  after(() => replicas?.[Symbol.asyncDispose]());

  const makeLink = (client: Client, idempotencyKey: string) =>
    client('/assistant-link', {
      as: key,
      body: { sub: idempotencyKey },
      headers: { 'idempotency-key': idempotencyKey },
    });

  test('create one link for concurrent requests with one key', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const idempotencyKey = `round ${round}`;
      const answers = await Promise.all(
        [one, other, one, other].map((client) => makeLink(client, idempotencyKey)),
      );
      const statuses = new Set(answers.map(({ status }) => status));
      assert.ok(statuses.isSubsetOf(new Set([200, 409])), [...statuses].join());
      const made = answers.filter(({ status }) => status === 200);
      assert.equal(new Set(made.map(({ text }) => text)).size, 1);
      const { json } = await other(`/assistant-link?sub=${encodeURIComponent(idempotencyKey)}`, {
        as: key,
      });
      assert.equal((json['items'] as unknown[]).length, 1);
    }
  });

  test('respond with 409 while the first request runs on the other replica', async () => {
    const database = new pg.Client({ connectionString: replicas.databaseUrl });
    await database.connect();
    try {
      await database.query('begin');
      // The insertion of a link waits for this lock, which its foreign key needs.
      await database.query('select id from spaces for update');
      const first = makeLink(one, 'blocked');
      const isWaiting = async () => {
        const { rows } = await database.query('select 1 from pg_locks where not granted');
        return rows.length > 0;
      };
      await until('the first request waits', isWaiting);
      const second = await makeLink(other, 'blocked');
      assert.deepEqual([second.status, second.json['code']], [409, 'http.idempotency-running']);
      assert.equal(second.headers.get('retry-after'), '1');
      await database.query('commit');
      assert.equal((await first).status, 200);
      assert.equal((await makeLink(other, 'blocked')).text, (await first).text);
    } finally {
      await database.end();
    }
  });

  test('replay the response of the other replica immediately', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await makeLink(one, `replay ${round}`);
      const again = await makeLink(other, `replay ${round}`);
      assert.deepEqual([again.status, again.text], [200, first.text]);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
    }
  });

  test('free the key of a request that runs on a killed replica', async () => {
    const [dying] = replicas.services;
    assert.ok(dying);
    const headers = { 'idempotency-key': 'killed' };
    const repeat = (body: object) => other(documents, { as: key, body, headers });
    // An invalid body stores nothing, so the upload can still start.
    await runUpload(
      () => beginUpload(dying.url, key, { path: documents, fileName: 'slow.txt', headers }),
      async () => (await repeat({})).status === 409,
    );
    await dying.stop('SIGKILL');
    await until('the key is free', async () => (await repeat({})).status === 400, 30_000);
    assert.equal((await repeat({ fileName: 'a.txt', text: 'A document.' })).status, 201);
  });
});
