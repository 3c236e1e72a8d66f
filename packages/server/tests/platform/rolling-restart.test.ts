import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chat } from '../support/assistant/chat.ts';
import { startFakeModel } from '../support/assistant/fake-model.ts';
import { listen } from '../support/events/event-stream.ts';
import { feedIds, idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { type Site, SteadyClient, SteadyListener } from '../support/events/steady-clients.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { type Haproxy, NO_HAPROXY, startHaproxy } from '../support/http/haproxy.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { type ChildServer, freePort } from '../support/services/child-server.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { until } from '../support/until.ts';

const REPLICAS = 3;
const CLIENTS = 6;
const model = await startFakeModel();
const directory = temporaryDirectory();
const env = {
  GATEHOUSE_DRAIN_SECONDS: '4',
  GATEHOUSE_STOP_SECONDS: '60',
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_BASE_URL: 'http://gatehouse.test',
  GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
  GATEHOUSE_MODEL_URL: model.url,
  GATEHOUSE_MODEL_NAME: 'small',
};
after(async () => {
  await model[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

/**
 * Replicas with the same users, keys and links. With PostgreSQL the replicas share a database. With SQLite each replica
 * starts on a copy of the same data directory and stores only its own events.
 */
class Replicas implements AsyncDisposable {
  readonly services: ChildServer[] = [];

  static async start(name: string): Promise<{ replicas: Replicas; site: Site }> {
    const seeded = join(directory.path, name);
    await using first = await startService(seeded, { env });
    const site = await provision(clientOf(first.url));
    await first.stop();
    await using opened = new AsyncDisposableStack();
    const replicas = opened.use(new Replicas(seeded));
    for (let index = 0; index < REPLICAS; index += 1) {
      if (!ON_POSTGRES) cpSync(seeded, replicas.#directoryOf(index), { recursive: true });
      replicas.services.push(await replicas.#start(index, await freePort()));
    }
    opened.move();
    return { replicas, site };
  }

  readonly #seeded: string;

  private constructor(seeded: string) {
    this.#seeded = seeded;
  }

  get ports(): number[] {
    return this.services.map(({ port }) => port);
  }

  /** Stops a replica as an orchestrator does and restarts the replica on the same port. */
  async restart(index: number): Promise<void> {
    const service = this.services[index];
    assert.ok(service);
    assert.equal(await service.stop('SIGTERM'), 0);
    this.services[index] = await this.#start(index, service.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop('SIGINT')));
  }

  #start(index: number, port: number): Promise<ChildServer> {
    return startService(this.#directoryOf(index), { env, port });
  }

  #directoryOf(index: number): string {
    return ON_POSTGRES ? this.#seeded : `${this.#seeded}-${index}`;
  }
}

async function provision(client: Client): Promise<Site> {
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id);
  const link = await makeLink(client, session, { sub: 'ada', spaceId: space.id });
  return { key, linkToken: link.token };
}

async function restartAll(replicas: Replicas, proxy: Haproxy): Promise<void> {
  for (const index of replicas.services.keys()) {
    await replicas.restart(index);
    await until(
      'the proxy routes requests to the replica again',
      async () => (await proxy.up()) === REPLICAS,
    );
  }
}

test('no request fails during a rolling restart behind a load balancer', {
  skip: NO_HAPROXY,
}, async (context) => {
  const { replicas, site } = await Replicas.start('requests');
  await using _replicas = replicas;
  // Retries by the load balancer would hide failures.
  await using proxy = await startHaproxy(replicas.ports, { retries: false });
  await using opened = new AsyncDisposableStack();
  const clients = Array.from({ length: CLIENTS }, () =>
    opened.use(new SteadyClient(proxy.port, site)),
  );
  await restartAll(replicas, proxy);
  await Promise.all(clients.map((client) => client.stop()));

  assert.deepEqual(
    clients.flatMap(({ failures }) => failures),
    [],
  );
  const feeds = await Promise.all(
    replicas.services.map(({ url }) => feedIds(clientOf(url), site.key)),
  );
  const kept = ON_POSTGRES ? feeds.slice(0, 1) : feeds;
  const sent = clients.flatMap((client) => client.sent);
  assert.deepEqual(kept.flat().toSorted(), sent.toSorted());
  for (const ids of kept) assert.ok(ids.length > 0, 'every replica received requests');
  const requests = clients.reduce((sum, client) => sum + client.requests, 0);
  context.diagnostic(`${requests} requests, none failed`);
});

test('a listener receives each event exactly once during a rolling restart', {
  skip: NO_HAPROXY || (ON_POSTGRES ? false : 'replicas with SQLite share no events'),
}, async () => {
  const { replicas, site } = await Replicas.start('streams');
  await using _replicas = replicas;
  await using proxy = await startHaproxy(replicas.ports, { retries: false });
  await using listener = new SteadyListener(proxy.url, site.key);
  await using client = new SteadyClient(proxy.port, site);
  await restartAll(replicas, proxy);
  await client.stop();
  await until('the listener received all events', () => listener.count >= client.sent.length);
  await listener.stop();
  assert.deepEqual([client.failures, listener.failures], [[], []]);
  assert.deepEqual(listener.heard, await feedIds(clientOf(proxy.url), site.key));
  assert.ok(listener.openings > 1, 'at least one stream ended with its replica');
});

test('a replica that shuts down finishes its running chat answer', {
  skip: NO_HAPROXY,
}, async () => {
  const { replicas, site } = await Replicas.start('answers');
  await using _replicas = replicas;
  await using proxy = await startHaproxy(replicas.ports);
  const as = await exchangeLink(clientOf(proxy.url), site.linkToken);
  const stopping = Promise.withResolvers<void>();
  model.behave({
    does: 'answer',
    pieces: (async function* () {
      yield 'It begins ';
      await stopping.promise;
      yield 'and ends.';
    })(),
  });
  const chat = new Chat(proxy.url, as);
  const answer = chat.ask('Does it end?');
  await until('the model is asked', () => model.requests.length > 0);
  const stops = replicas.services.map((service) => service.stop('SIGTERM'));
  await until('all listeners are closed', async () => {
    const answers = await Promise.allSettled(
      replicas.services.map(({ url }) => fetch(`${url}/healthz`)),
    );
    return answers.every(({ status }) => status === 'rejected');
  });
  stopping.resolve();
  const { parts, metadata } = await answer;
  assert.match(JSON.stringify(parts), /It begins and ends\./);
  assert.equal(metadata?.state, 'finished');
  assert.deepEqual(await Promise.all(stops), [0, 0, 0]);
});

test('a draining service reports that it is not ready, serves requests and closes connections', async () => {
  await using service = await startService(join(directory.path, 'drain'), { env });
  const client = clientOf(service.url);
  const { key } = await provision(client);
  const stopped = service.stop('SIGTERM');
  await until('the service is not ready', async () => (await client('/readyz')).status === 503);
  const accepted = await client('/events', { as: key, body: { events: makeEvents(1) } });
  assert.equal(accepted.status, 200);
  assert.equal(accepted.headers.get('connection'), 'close');
  const refused = await client('/events', { body: { events: [] } });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get('connection'), 'close');
  const unknown = await client('/nothing');
  assert.equal(unknown.headers.get('connection'), 'close');
  assert.equal((await client('/healthz')).status, 200);
  assert.equal(await stopped, 0);
});

test('an event stream that is opened while the service drains ends cleanly when the service stops', async () => {
  await using service = await startService(join(directory.path, 'listeners'), { env });
  const client = clientOf(service.url);
  const { key } = await provision(client);
  const stopped = service.stop('SIGTERM');
  await until('the service is not ready', async () => (await client('/readyz')).status === 503);
  using stream = await listen(service.url, { as: key });
  const events = makeEvents(2);
  await ingest(client, { as: key, body: { events } });
  assert.deepEqual(await stream.ids(2), idsOf(events));
  assert.equal(await stream.ended, true);
  assert.equal(await stopped, 0);
});

test('SIGINT ends the drain phase', async () => {
  await using service = await startService(join(directory.path, 'sigint'), {
    env: { ...env, GATEHOUSE_DRAIN_SECONDS: '3600' },
  });
  service.process.kill('SIGTERM');
  await until('the service is not ready', async () => {
    const { status } = await fetch(`${service.url}/readyz`);
    return status === 503;
  });
  await sleep(50);
  assert.equal(await service.stop('SIGINT'), 0);
});
