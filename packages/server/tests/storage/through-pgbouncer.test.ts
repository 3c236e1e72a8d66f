import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { newEmptyDatabase } from '../../src/storage/postgres/database.suite.ts';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { listen } from '../support/events/event-stream.ts';
import { feedIds, idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { NO_PGBOUNCER, type PgBouncer, startPgBouncer } from '../support/storage/pgbouncer.ts';
import { type Replicas, startReplicas } from '../support/storage/replicas.ts';
import { until } from '../support/until.ts';

/** Number of concurrent requests. Exceeds the pooler's four connections to the database server. */
const AT_ONCE = 24;
const inParallel = <T>(act: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, n) => act(n)));

describe('two replicas behind PgBouncer in transaction mode', {
  skip: postgresIsMissing ?? NO_PGBOUNCER,
}, () => {
  let pooler: PgBouncer;
  let replicas: Replicas;
  let clients: [Client, Client];
  let session: string;
  let space: string;
  let key: string;
  const either = (n: number) => clients[n % 2] as Client;

  async function start(): Promise<void> {
    replicas = await startReplicas(2, { GATEHOUSE_RATE_LIMIT_CHAT: '0' }, pooler.url);
    const [one, other] = replicas.services.map(({ url }) => contractClient(clientOf(url)));
    assert.ok(one && other);
    clients = [one, other];
    session = await signIn(one);
  }
  before(async () => {
    pooler = await startPgBouncer(await newEmptyDatabase());
    await start();
    space = (await makeSpace(clients[0], session)).id;
    key = await makeKey(clients[0], session, space);
  });
  after(async () => {
    await replicas?.[Symbol.asyncDispose]();
    await pooler?.[Symbol.asyncDispose]();
  });

  test('a link that one replica creates and revokes is accepted and then rejected by the other replica', async () => {
    const links = await inParallel((n) =>
      makeLink(either(n), key, { spaceId: space, sub: `customer-${n}` }),
    );
    await inParallel((n) => exchangeLink(either(n + 1), links[n]?.token ?? ''));
    await inParallel(async (n) => {
      const path = `/assistant-link/${links[n]?.id}`;
      assert.equal((await either(n)(path, { method: 'DELETE', as: key })).status, 204);
      const body = { linkToken: links[n]?.token };
      assert.equal((await either(n + 1)('/assistant-link/exchange', { body })).status, 410);
    });
  });

  test('both replicas store every event once in the same log, and listeners receive every event', async () => {
    const events = makeEvents(AT_ONCE * 5);
    using stream = await listen(replicas.services[1]?.url ?? '', { as: key });
    assert.equal(stream.response.status, 200);
    await inParallel((n) =>
      ingest(either(n), { as: key, body: { events: events.slice(5 * n, 5 * n + 5) } }),
    );
    await inParallel((n) =>
      ingest(either(n + 1), { as: key, body: { events: events.slice(5 * n, 5 * n + 5) } }),
    );
    const stored = await feedIds(clients[0], key);
    assert.deepEqual(stored.toSorted(), idsOf(events).toSorted());
    assert.deepEqual(await feedIds(clients[1], key), stored);
    assert.deepEqual(await stream.ids(stored.length), stored);
  });

  test('documents are indexed, and search and chat find them before and after a restart', async () => {
    const text = 'Parcels are sent back within thirty days.';
    await addDocument(clients[0], session, space, { fileName: 'returns.md', text });
    const ask = async (n: number) => {
      const { as } = await openLink(either(n), session, { spaceId: space, sub: `asks-${n}` });
      const answer = await new Chat(replicas.services[n % 2]?.url ?? '', as).ask('Parcels back?');
      return JSON.stringify(answer);
    };
    for (const answer of await inParallel(ask)) assert.match(answer, /thirty days/);
    await replicas[Symbol.asyncDispose]();
    await start();
    assert.match(await ask(1), /thirty days/);
    const path = `/spaces/${space}/search`;
    const found = await clients[1](path, { as: session, body: { query: 'parcels' } });
    assert.match(found.text, /thirty days/);
    assert.equal((await feedIds(clients[0], key)).length, AT_ONCE * 5);
  });

  test('concurrent transactions complete, and both services are ready afterwards', async () => {
    await inParallel(async (n) => {
      const { id } = await makeSpace(either(n), session);
      const as = await makeKey(either(n + 1), session, id);
      await ingest(either(n), { as, body: { events: makeEvents(3) } });
      const path = `/spaces/${id}`;
      assert.equal((await either(n)(path, { method: 'DELETE', as: session })).status, 204);
    });
    for (const { url } of replicas.services)
      await until(
        'the service is ready',
        async () => (await fetch(`${url}/readyz`)).status === 200,
      );
  });
});
