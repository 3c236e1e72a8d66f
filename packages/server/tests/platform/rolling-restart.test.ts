import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { newDatabase } from '../../src/storage/postgres/database.suite.ts';
import { Chat } from '../support/assistant/chat.ts';
import { startFakeModel } from '../support/assistant/fake-model.ts';
import { skip as noBrowser, openBrowser, visit } from '../support/browser/browser.ts';
import { ask } from '../support/browser/widget.ts';
import { listen } from '../support/events/event-stream.ts';
import { feedIds, idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { type Site, SteadyClient, SteadyListener } from '../support/events/steady-clients.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { type Haproxy, NO_HAPROXY, startHaproxy } from '../support/http/haproxy.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { freePort } from '../support/services/free-port.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const REPLICAS = 3;
const CLIENTS = 3;
const model = await startFakeModel();
const directory = temporaryDirectory();
const env = {
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

/** Services that share a PostgreSQL database, whichever database engine this test run uses. */
class Replicas implements AsyncDisposable {
  readonly services: ChildServer[] = [];
  readonly #env: Readonly<Record<string, string>>;

  static async start(): Promise<Replicas> {
    await using opened = new AsyncDisposableStack();
    const replicas = opened.use(new Replicas(await newDatabase()));
    for (let index = 0; index < REPLICAS; index += 1)
      replicas.services.push(await replicas.#start(await freePort()));
    opened.move();
    return replicas;
  }

  private constructor(databaseUrl: string) {
    this.#env = {
      ...env,
      GATEHOUSE_DRAIN_SECONDS: '4',
      GATEHOUSE_DATABASE_URL: databaseUrl,
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    };
  }

  get ports(): number[] {
    return this.services.map(({ port }) => port);
  }

  get client(): Client {
    const [first] = this.services;
    assert.ok(first);
    return clientOf(first.url);
  }

  /** Stops a replica as an orchestrator does and restarts the replica on the same port. */
  async restart(index: number): Promise<void> {
    const service = this.services[index];
    assert.ok(service);
    assert.equal(await service.stop('SIGTERM'), 0);
    this.services[index] = await this.#start(service.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop('SIGINT')));
  }

  #start(port: number): Promise<ChildServer> {
    return startService(directory.path, { env: this.#env, port });
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

describe('replicas behind a load balancer', {
  skip: postgresIsMissing ?? NO_HAPROXY,
}, () => {
  const opened = new AsyncDisposableStack();
  let replicas: Replicas;
  let site: Site;
  before(async () => {
    replicas = opened.use(await Replicas.start());
    site = await provision(replicas.client);
  });
  after(() => opened.disposeAsync());

  test('no request fails during a rolling restart, and a listener receives each event exactly once', async (context) => {
    // Retries by the load balancer would hide failures.
    await using proxy = await startHaproxy(replicas.ports, { retries: false });
    await using running = new AsyncDisposableStack();
    const listener = running.use(new SteadyListener(proxy.url, site.key));
    const clients = Array.from({ length: CLIENTS }, () =>
      running.use(new SteadyClient(proxy.port, site)),
    );
    await restartAll(replicas, proxy);
    await Promise.all(clients.map((client) => client.stop()));

    const failures = clients.flatMap((client) => client.failures);
    assert.deepEqual(failures, []);
    const sent = clients.flatMap((client) => client.sent);
    const kept = await feedIds(clientOf(proxy.url), site.key);
    assert.deepEqual(kept.toSorted(), sent.toSorted());
    await until('the listener received all events', () => listener.count >= sent.length);
    await listener.stop();
    assert.deepEqual(listener.failures, []);
    assert.deepEqual(listener.heard, kept);
    assert.ok(listener.openings > 1, 'at least one stream ended with its replica');
    const requests = clients.reduce((sum, client) => sum + client.requests, 0);
    context.diagnostic(`${requests} requests, none failed`);
  });

  test('a browser reads the rest of its answer from another replica after a reload', {
    skip: noBrowser,
  }, async (t) => {
    await using proxy = await startHaproxy(replicas.ports);
    await using browser = await openBrowser();
    const { page, problems } = await visit(t, browser);
    const reloaded = Promise.withResolvers<void>();
    const asked = model.requests.length;
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Refunds take ';
        await reloaded.promise;
        yield 'five days.';
      })(),
    });
    await proxy.routeTo(0);
    await page.goto(`${proxy.url}/widget/${site.linkToken}`);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();

    await proxy.routeTo(1);
    await page.reload();
    await answer.getByText('Refunds take').waitFor();
    reloaded.resolve();
    await answer.getByText('Refunds take five days.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    assert.equal(model.requests.length, asked + 1);
    assert.deepEqual(problems, []);
  });

  // This test stops all replicas, so it is the last one.
  test('a replica that shuts down finishes its running chat answer', async () => {
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
    const asked = model.requests.length;
    const chat = new Chat(proxy.url, as);
    const answer = chat.ask('Does it end?');
    await until('the model is asked', () => model.requests.length > asked);
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
});

test('a draining service reports that it is not ready and serves requests until SIGINT ends the drain phase', async () => {
  await using service = await startService(directory.path, {
    env: { ...env, GATEHOUSE_DRAIN_SECONDS: '3600' },
  });
  const client = clientOf(service.url);
  const { key } = await provision(client);
  service.process.kill('SIGTERM');
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

  // A stream that is opened while the service drains ends cleanly.
  using stream = await listen(service.url, { as: key });
  const events = makeEvents(2);
  await ingest(client, { as: key, body: { events } });
  assert.deepEqual(await stream.ids(2), idsOf(events));
  assert.equal(await service.stop('SIGINT'), 0);
  assert.equal(await stream.ended, true);
});
