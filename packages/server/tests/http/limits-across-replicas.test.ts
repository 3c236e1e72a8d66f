import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EventStats } from '@gatehouse/contract';
import { postgresIsMissing, startPostgres } from '@gatehouse/filter/tests/postgres';
import { Chat, exchange, openLink } from '../support/assistant/chat.ts';
import { type FakeModel, startFakeModel } from '../support/assistant/fake-model.ts';
import { echo } from '../support/assistant/shown-prompt.ts';
import { listen } from '../support/events/event-stream.ts';
import { ingest, makeEvents, postEvents } from '../support/events/events.ts';
import { type Client, type ClientResponse, clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { ADMIN } from '../support/services/service.ts';
import { type Replicas, startReplicas } from '../support/storage/replicas.ts';
import { until } from '../support/until.ts';

const PER_MINUTE = 20;
const question = (text: string, more: object = {}) => ({
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  ...more,
});
const codeOf = ({ status, json }: ClientResponse) => [status, json['code']];

describe('two replicas on one database', { skip: postgresIsMissing }, () => {
  let model: FakeModel;
  let replicas: Replicas;
  let clients: [Client, Client];
  let urls: [string, string];
  let session: string;
  let spaceId: string;
  before(async () => {
    model = await startFakeModel();
    model.behave(echo);
    replicas = await startReplicas(2, {
      GATEHOUSE_MODEL_URL: model.url,
      GATEHOUSE_MODEL_NAME: 'small',
      // The limit is low because each attempt can take seconds on a slow machine.
      GATEHOUSE_RATE_LIMIT_SIGN_IN: '4',
      GATEHOUSE_RATE_LIMIT_EXCHANGE: '30',
      GATEHOUSE_RATE_LIMIT_CHAT: String(PER_MINUTE),
      GATEHOUSE_RATE_LIMIT_READS_LINK: '10',
      GATEHOUSE_RATE_LIMIT_EVENTS_KEY: '1',
      GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
    });
    const [one, other] = replicas.services;
    assert.ok(one && other);
    urls = [one.url, other.url];
    clients = [contractClient(clientOf(one.url)), contractClient(clientOf(other.url))];
    session = await signIn(clients[0]);
    spaceId = (await makeSpace(clients[0], session)).id;
  });
  after(async () => {
    await replicas?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
  });

  /** Sends requests sequentially, alternating between the replicas. */
  async function alternate(count: number, send: (client: Client) => Promise<ClientResponse>) {
    const answers: ClientResponse[] = [];
    for (let n = 0; n < count; n += 1) answers.push(await send(clients[n % 2] as Client));
    return answers;
  }

  test('sign-in attempts are limited across replicas, even with the correct password', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const guess = (password: string) => (client: Client) =>
      client('/auth/sign-in/email', { headers, body: { email: ADMIN.email, password } });
    const tries = await alternate(4, guess('not the password'));
    assert.deepEqual(new Set(tries.map(({ status }) => status)), new Set([401]));
    for (const rejected of await alternate(4, guess(ADMIN.password))) {
      assert.deepEqual(codeOf(rejected), [429, 'http.too-many-requests']);
      const seconds = Number(rejected.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
      assert.equal(rejected.headers.get('x-ratelimit-remaining'), '0');
    }
    const elsewhere = { 'x-forwarded-for': '203.0.113.8' };
    const body = { email: ADMIN.email, password: ADMIN.password };
    assert.equal(
      (await clients[1]('/auth/sign-in/email', { headers: elsewhere, body })).status,
      200,
    );
  });

  test('failed sign-ins of an account are limited across replicas and client addresses', async () => {
    let tried = 0;
    const guess = (email: string, password: string) => (client: Client) => {
      tried += 1;
      const headers = { 'x-forwarded-for': `198.51.100.${tried}` };
      return client('/auth/sign-in/email', { headers, body: { email, password } });
    };
    const { email, password } = ADMIN;
    const tries = await alternate(10, guess(email, 'not the password'));
    assert.deepEqual(new Set(tries.map(({ status }) => status)), new Set([401]));
    for (const rejected of await alternate(2, guess(email, password))) {
      assert.deepEqual(codeOf(rejected), [429, 'access.too-many-failures']);
      const seconds = Number(rejected.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
    }
    assert.equal((await clients[0]('/auth/session', { as: session })).status, 200);
    assert.equal((await guess('nobody@example.com', password)(clients[1])).status, 401);
  });

  test('concurrent exchanges from one address are limited across replicas', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const body = { linkToken: 'nobody-has-this' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (clients[n % 2] as Client)('/assistant-link/exchange', { headers, body }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 401).length, 30);
    assert.equal(answers.filter(({ status }) => status === 429).length, 20);
  });

  test('the number of questions per minute and user is limited across replicas', async () => {
    const { as } = await openLink(clients[0], session, { spaceId, sub: 'ada' });
    const answers = await alternate(PER_MINUTE + 2, (client) =>
      client('/chat', { as, body: question('Hello?') }),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array.from({ length: PER_MINUTE }, () => 200), 429, 429],
    );
    assert.deepEqual(codeOf(answers.at(-1) as ClientResponse), [429, 'chat.too-many-turns']);
  });

  test('the number of searches per minute and link is limited across replicas', async () => {
    const { as } = await openLink(clients[0], session, { spaceId });
    const answers = await alternate(12, (client) =>
      client(`/spaces/${spaceId}/search`, { as, body: { query: 'needle' } }),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array.from({ length: 10 }, () => 200), 429, 429],
    );
    assert.deepEqual(codeOf(answers.at(-1) as ClientResponse), [429, 'links.too-many-reads']);
  });

  test('a conversation has at most one running answer across replicas, which the client can abort', async () => {
    const begun = Promise.withResolvers<void>();
    model.behave(() => {
      begun.resolve();
      return { does: 'stall' };
    });
    const { as } = await openLink(clients[0], session, { spaceId, sub: 'busy' });
    const stop = new AbortController();
    const first = new Chat(urls[0], as, 'same').ask('One?', stop.signal).catch(() => null);
    await begun.promise;
    model.behave(echo);
    const ask = (id: string) => clients[1]('/chat', { as, body: question('Two?', { id }) });
    assert.deepEqual(codeOf(await ask('same')), [429, 'chat.turn-running']);
    assert.equal((await ask('other')).status, 200);
    stop.abort();
    await first;
    assert.equal((await ask('same')).status, 200);
  });

  test('a key that exceeds its limit on one replica is soon rejected by the other replica', async () => {
    const key = await makeKey(clients[0], session, spaceId);
    const send = (client: Client, count: number) =>
      postEvents(client, { as: key, body: { events: makeEvents(count) } });
    for (let n = 0; n < 3; n += 1) await send(clients[0], 100);
    await until('the other replica knows the usage', async () => {
      const answer = await send(clients[1], 1);
      return Number(answer.headers.get('retry-after') ?? 0) > 50;
    });
  });

  test('both replicas return the combined event counts and listeners of both replicas', async () => {
    const { id } = await makeSpace(clients[0], session);
    const keys = await Promise.all(
      [0, 1].map(async (index) => ({
        client: clients[index] as Client,
        as: await makeKey(clients[0], session, id),
      })),
    );
    for (const { client, as } of keys)
      await ingest(client, { as, body: { events: makeEvents(5, { type: 'sent' }) } });
    using _stream = await listen(urls[1], { as: keys[0]?.as ?? '' });
    for (const { client, as } of keys)
      await until('the replica knows the counts of the other one', async () => {
        const answer = await client(`/spaces/${id}/events/stats`, { as });
        const { types, listeners } = JSON.parse(answer.text) as EventStats;
        return types[0]?.name === 'sent' && types[0].total === 10 && listeners === 1;
      });
  });

  test('a conversation can soon continue after the replica that was answering is killed', async () => {
    const begun = Promise.withResolvers<void>();
    model.behave(() => {
      begun.resolve();
      return { does: 'stall' };
    });
    const { as } = await openLink(clients[1], session, { spaceId, sub: 'cut off' });
    const first = new Chat(urls[0], as, 'cut off').ask('One?').catch(() => null);
    await begun.promise;
    model.behave(echo);
    await replicas.services[0]?.stop('SIGKILL');
    await first;
    await until('the conversation is free', async () => {
      const body = question('Two?', { id: 'cut off' });
      const { status, json } = await clients[1]('/chat', { as, body });
      assert.ok(status === 200 || json['code'] === 'chat.turn-running');
      return status === 200;
    });
  });
});

test('sign-ins, exchanges and questions are rejected while the database is unavailable', {
  skip: postgresIsMissing,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const server = await startPostgres();
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= Promise.resolve(server[Symbol.asyncDispose]());
    return stopping;
  };
  opened.defer(stop);
  const host = encodeURIComponent(server.connection.host);
  const { services } = opened.use(
    await startReplicas(1, {}, `postgres://gatehouse@localhost/postgres?host=${host}`),
  );
  const client = clientOf(services[0]?.url ?? '');
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  const { as, linkToken } = await openLink(client, session, { spaceId, sub: 'ada' });
  await exchange(client, linkToken);
  await stop();
  const { email, password } = ADMIN;
  for (const answer of [
    await client('/auth/sign-in/email', { body: { email, password } }),
    await client('/assistant-link/exchange', { body: { linkToken } }),
    await client('/chat', { as, body: question('Hello?') }),
  ]) {
    assert.equal(answer.status, 503, answer.text);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
});
