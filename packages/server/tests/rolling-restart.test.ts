import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import { ON_POSTGRES } from './support/backend.ts';
import { Chat } from './support/chat.ts';
import { type ChildServer, freePort } from './support/child-server.ts';
import { type Client, clientOf } from './support/client.ts';
import { type HeardEvent, listen, type OpenStream } from './support/event-stream.ts';
import { type FeedItem, feedIds, idsOf, ingest, makeEvents } from './support/events.ts';
import { startFakeModel } from './support/fake-model.ts';
import { type Haproxy, NO_HAPROXY, startHaproxy } from './support/haproxy.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from './support/provision.ts';
import { type RawAnswer, readAnswer } from './support/raw-http.ts';
import { startService, temporaryDirectory } from './support/service.ts';
import { until } from './support/until.ts';

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

interface Site {
  readonly key: string;
  readonly linkToken: string;
}

/**
 * Replicas that know the same people, keys and links: those of one database, or, with the embedded store, such as
 * were started on copies of one data directory, each of which then keeps what it is sent.
 */
class Replicas implements AsyncDisposable {
  readonly services: ChildServer[] = [];

  static async start(name: string): Promise<{ replicas: Replicas; site: Site }> {
    const seeded = join(directory.path, name);
    await using first = await startService(seeded, { env });
    const site = await provision(clientOf(first.url));
    await first.stop();
    const replicas = new Replicas(seeded);
    for (let index = 0; index < REPLICAS; index += 1) {
      if (!ON_POSTGRES) cpSync(seeded, replicas.#directoryOf(index), { recursive: true });
      replicas.services.push(await replicas.#start(index, await freePort()));
    }
    return { replicas, site };
  }

  readonly #seeded: string;

  private constructor(seeded: string) {
    this.#seeded = seeded;
  }

  get ports(): number[] {
    return this.services.map(({ port }) => port);
  }

  /** Stops one as an orchestrator does, and starts it again in its place. */
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
    await until('the replica is sent requests again', async () => (await proxy.up()) === REPLICAS);
  }
}

/** Sends requests one after the other over one kept connection, none of them twice, until it is stopped. */
class SteadyClient {
  readonly sent: string[] = [];
  readonly failures: string[] = [];
  requests = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #site: Site;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(port: number, site: Site) {
    this.#port = port;
    this.#site = site;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    const { key, linkToken } = this.#site;
    while (!this.#stopped) {
      const events = makeEvents(5);
      const accepted = await this.#send('POST', '/events', { events }, key);
      if (accepted !== null) this.sent.push(...(accepted as unknown as IngestResult).eventIds);
      await this.#send('POST', '/assistant-link/exchange', { linkToken });
      await this.#send('POST', '/assistant-link', { ttlSeconds: 3600 }, key);
      await this.#send('GET', '/events?limit=1', undefined, key);
    }
  }

  async #send(method: string, path: string, body?: object, as?: string): Promise<object | null> {
    this.requests += 1;
    try {
      const answer = await this.#answerTo(method, path, body, as);
      if (answer.status === 200) return JSON.parse(answer.body);
      this.failures.push(`${method} ${path}: ${answer.status} ${answer.body}`);
    } catch (error) {
      this.failures.push(`${method} ${path}: ${error}`);
    }
    return null;
  }

  #answerTo(method: string, path: string, body?: object, as?: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request({
        host: '127.0.0.1',
        port: this.#port,
        agent: this.#agent,
        method,
        path,
        headers: {
          ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming: IncomingMessage) =>
        readAnswer(incoming).then(resolve, reject),
      );
      outgoing.end(text);
    });
  }
}

/** Listens to the live stream, and where one ends, to another from the same place on, as a browser does. */
class SteadyListener {
  readonly #heard: HeardEvent[] = [];
  readonly failures: string[] = [];
  openings = 0;
  readonly #running: Promise<void>;
  #stopped = false;
  #stream: OpenStream | null = null;

  constructor(url: string, key: string) {
    this.#running = this.#run(url, key);
  }

  get count(): number {
    return this.#heard.length + (this.#stream?.heard.length ?? 0);
  }

  /** Ids of events, in the order in which they were heard. */
  get heard(): string[] {
    const all = [...this.#heard, ...(this.#stream?.heard ?? [])];
    return all.map(({ data }) => String((JSON.parse(data) as FeedItem).event['id']));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream?.[Symbol.dispose]();
    await this.#running;
  }

  async #run(url: string, key: string): Promise<void> {
    let lastEventId = '';
    while (!this.#stopped) {
      const options = lastEventId === '' ? { query: '?after=MA' } : { lastEventId };
      const stream = await listen(url, { as: key, ...options });
      this.#stream = stream;
      this.openings += 1;
      if (stream.response.status !== 200) this.failures.push(`${stream.response.status}`);
      const whole = await stream.ended;
      if (!whole && !this.#stopped) this.failures.push('a stream broke off');
      this.#stream = null;
      this.#heard.push(...stream.heard);
      lastEventId = stream.lastEventId();
    }
  }
}

test('no request fails while replicas behind a load balancer are restarted in turn', {
  skip: NO_HAPROXY,
}, async (context) => {
  const { replicas, site } = await Replicas.start('requests');
  await using _replicas = replicas;
  // What a load balancer repeats by itself would hide what fails.
  await using proxy = await startHaproxy(replicas.ports, { repeats: false });
  const clients = Array.from({ length: CLIENTS }, () => new SteadyClient(proxy.port, site));
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
  for (const ids of kept) assert.ok(ids.length > 0, 'every replica was sent requests');
  const requests = clients.reduce((sum, client) => sum + client.requests, 0);
  context.diagnostic(`${requests} requests, none failed`);
});

test('who listens hears each event once, on whichever replica, while all are restarted in turn', {
  skip: NO_HAPROXY || (ON_POSTGRES ? false : 'replicas with the embedded store share no events'),
}, async () => {
  const { replicas, site } = await Replicas.start('streams');
  await using _replicas = replicas;
  await using proxy = await startHaproxy(replicas.ports, { repeats: false });
  const listener = new SteadyListener(proxy.url, site.key);
  const client = new SteadyClient(proxy.port, site);
  await restartAll(replicas, proxy);
  await client.stop();
  await until('all of it was heard', () => listener.count >= client.sent.length);
  await listener.stop();
  assert.deepEqual([client.failures, listener.failures], [[], []]);
  assert.deepEqual(listener.heard, await feedIds(clientOf(proxy.url), site.key));
  assert.ok(listener.openings > 1, 'a stream ended with its replica');
});

test('an answer of the assistant that is under way comes to its end on a replica that stops', {
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

test('a service that drains says so, serves on, and lets go of connections', async () => {
  await using service = await startService(join(directory.path, 'drain'), { env });
  const client = clientOf(service.url);
  const { key } = await provision(client);
  const stopped = service.stop('SIGTERM');
  await until('it is not ready', async () => (await client('/readyz')).status === 503);
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

test('a stream of events that is opened while a service drains lives until it stops, and ends whole', async () => {
  await using service = await startService(join(directory.path, 'listeners'), { env });
  const client = clientOf(service.url);
  const { key } = await provision(client);
  const stopped = service.stop('SIGTERM');
  await until('it is not ready', async () => (await client('/readyz')).status === 503);
  using stream = await listen(service.url, { as: key });
  const events = makeEvents(2);
  await ingest(client, { as: key, body: { events } });
  assert.deepEqual(await stream.ids(2), idsOf(events));
  assert.equal(await stream.ended, true);
  assert.equal(await stopped, 0);
});

test('SIGINT ends a drain that is under way', async () => {
  await using service = await startService(join(directory.path, 'hurry'), {
    env: { ...env, GATEHOUSE_DRAIN_SECONDS: '3600' },
  });
  service.process.kill('SIGTERM');
  await until('it is not ready', async () => {
    const { status } = await fetch(`${service.url}/readyz`);
    return status === 503;
  });
  await sleep(50);
  assert.equal(await service.stop('SIGINT'), 0);
});
