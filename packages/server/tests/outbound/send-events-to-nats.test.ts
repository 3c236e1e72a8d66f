import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import {
  type NatsMessage,
  type NatsServer,
  NO_NATS,
  startNats,
} from '../support/brokers/nats-server.ts';
import { idsOf, ingest, makeEvent, makeEvents, type SentEvent } from '../support/events/events.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { sinkLines } from '../support/services/log-lines.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

describe('publishing events to NATS JetStream', { skip: NO_NATS }, () => {
  const idOf = ({ text }: NatsMessage) => String((JSON.parse(text) as SentEvent)['id']);
  const idsIn = async (nats: NatsServer) => (await nats.messages()).map(idOf);

  /** Returns a function that starts a service for this NATS server, always on the same data directory. */
  async function serve(t: { after: (work: () => void) => void }, nats: NatsServer, env = {}) {
    const directory = temporaryDirectory();
    t.after(() => directory[Symbol.dispose]());
    return () =>
      startService(directory.path, {
        capture: true,
        env: { GATEHOUSE_NATS_URL: nats.url, ...env },
      });
  }

  async function provision(service: ChildServer) {
    const client = clientOf(service.url);
    const session = await signIn(client);
    const space = await makeSpace(client, session);
    return { client, spaceId: space.id, key: await makeKey(client, session, space.id) };
  }

  const lagOf = async (client: Client) =>
    Number(
      /^gatehouse_sink_lag_events\{sink="nats"\} (\d+)$/m.exec(
        (await client('/metrics')).text,
      )?.[1],
    );

  test('publishes the exact text of each event once and in order', async (t) => {
    await using nats = await startNats();
    await nats.addStream();
    await using service = await (await serve(t, nats))();
    const { client, spaceId, key } = await provision(service);
    const text = `{"specversion":"1.0","id":"exact","source":"urn:test:shop","type":"a.b","data":1.00000000000000000001}`;
    await ingest(client, { as: key, body: `{"events":[${text}]}` });
    const events = makeEvents(300, { subject: 'order/1' });
    for (let at = 0; at < events.length; at += 60)
      await ingest(client, { as: key, body: { events: events.slice(at, at + 60) } });
    await ingest(client, { as: key, body: { events: events.slice(0, 60) } });
    await until('all events are published', async () => (await nats.count()) >= 301);
    const messages = await nats.messages();
    assert.deepEqual(messages.map(idOf), ['exact', ...idsOf(events)]);
    const [first] = messages;
    assert.equal(first?.text, text);
    assert.equal(first?.subject, `gatehouse.${spaceId}.events`);
    assert.equal(first?.header('Content-Type'), 'application/cloudevents+json; charset=UTF-8');
    assert.equal(first?.header('Gatehouse-Space-Id'), spaceId);
    assert.equal(new Set(messages.map(({ header }) => header('Nats-Msg-Id'))).size, 301);
    await until('the lag is zero', async () => (await lagOf(client)) === 0);
    const metrics = (await client('/metrics')).text;
    assert.match(metrics, /^gatehouse_sink_events_total\{sink="nats",outcome="published"\} 301$/m);
    assert.deepEqual(sinkLines(service, 'nats'), []);
    assert.equal(await service.stop(), 0);
  });

  test('events wait while the NATS server is down, and each outage logs one line at its start and one at its end', async (t) => {
    await using nats = await startNats();
    await nats.addStream();
    await nats.stop();
    await using service = await (await serve(t, nats))();
    const { client, key } = await provision(service);
    // A starting server accepts connections before it has opened its streams, and rejects messages in between.
    const lines = () => sinkLines(service, 'nats').filter(({ reason }) => reason !== 'refused');
    const early = makeEvents(50, { subject: 'order/1' });
    await ingest(client, { as: key, body: { events: early } });
    assert.equal(await lagOf(client), 50);
    await until('the change is logged', () => lines().length > 0);
    await nats.start();
    await until('the expected events are published', async () => (await nats.count()) === 50);
    await until('the recovery is logged', () => lines().length === 2);
    await nats.stop('SIGKILL');
    const late = makeEvents(50, { subject: 'order/1' });
    await ingest(client, { as: key, body: { events: late } });
    await until('the second failure is logged', () => lines().length === 3);
    await nats.start();
    await until('all events are published', async () => (await nats.count()) === 100);
    assert.deepEqual(await idsIn(nats), idsOf([...early, ...late]));
    await until('the change is logged', () => lines().length === 4);
    assert.deepEqual(
      lines().map(({ reason }) => reason),
      ['unreachable', undefined, 'unreachable', undefined],
    );
    const [delayed, recovered] = lines().map(({ msg }) => msg);
    assert.equal(
      delayed,
      'events for a sink are delayed: the NATS server cannot be reached (ECONNREFUSED)',
    );
    assert.equal(recovered, 'a sink has recovered');
    const { text } = await client('/metrics');
    assert.match(text, /^gatehouse_sink_failures_total\{sink="nats",reason="unreachable"\} \d+$/m);
  });

  test('publishes all events in order although the service and the NATS server are killed', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const random = seeded(SEED);
    await using nats = await startNats();
    await nats.addStream();
    const start = await serve(t, nats);
    let key = '';
    const sent = new Map<string, string[]>();
    for (let round = 0; round < roundsOf(2, 40); round += 1) {
      await using service = await start();
      if (key === '') ({ key } = await provision(service));
      const client = clientOf(service.url);
      for (let batch = 0; batch < 10; batch += 1) {
        const subject = `order/${random.below(3)}`;
        const events = makeEvents(40, { subject });
        await ingest(client, { as: key, body: { events } });
        sent.set(subject, [...(sent.get(subject) ?? []), ...idsOf(events)]);
      }
      await sleep(random.below(40));
      if (round % 4 === 3) await nats.stop('SIGKILL');
      await service.stop('SIGKILL');
      if (round % 4 === 3) await nats.start();
    }
    await using service = await start();
    const client = clientOf(service.url);
    await until('the lag is zero', async () => (await lagOf(client)) === 0);
    const messages = await nats.messages();
    for (const [subject, ids] of sent) {
      const found = messages.filter(({ text }) => JSON.parse(text).subject === subject).map(idOf);
      assert.deepEqual(found, ids, 'each event is in the stream once and in order');
    }
  });

  test('publishes all events once and in order although the NATS server stops in the middle of a batch', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const random = seeded(SEED);
    await using nats = await startNats();
    await nats.addStream();
    await using service = await (await serve(t, nats))();
    const { client, key } = await provision(service);
    const events: SentEvent[] = [];
    for (let round = 0; round < roundsOf(2, 30); round += 1) {
      const sending = (async () => {
        for (let batch = 0; batch < 5; batch += 1) {
          const made = makeEvents(80, { subject: 'order/1' });
          events.push(...made);
          await ingest(client, { as: key, body: { events: made } });
        }
      })();
      await sleep(random.below(100));
      nats.process().kill('SIGSTOP');
      await sending;
      // Longer than the timeout of an acknowledgement in some rounds of the campaign.
      await sleep(random.below(FULL ? 15_000 : 500));
      if (round % 2 === 0) nats.process().kill('SIGCONT');
      else {
        await nats.stop('SIGKILL');
        await nats.start();
      }
    }
    await until('the lag is zero', async () => (await lagOf(client)) === 0);
    assert.deepEqual(await idsIn(nats), idsOf(events));
  });

  test('rejected credentials delay events, are logged and do not affect the rest of the service', async (t) => {
    const configuration =
      'authorization { users = [{ user: test, password: test }, { user: gatehouse, password: right }] }';
    await using nats = await startNats({ configuration, connect: { user: 'test', pass: 'test' } });
    await nats.addStream();
    const env = { GATEHOUSE_NATS_USER: 'gatehouse', GATEHOUSE_NATS_PASSWORD: 'wrong-and-secret' };
    await using service = await (await serve(t, nats, env))();
    const { client, key } = await provision(service);
    for (let batch = 0; batch < 5; batch += 1)
      await ingest(client, { as: key, body: { events: makeEvents(10) } });
    await until('the change is logged', () => sinkLines(service, 'nats').length > 0);
    await until('publishing was retried', async () =>
      /reason="unauthorized"\} [3-9]/.test((await client('/metrics')).text),
    );
    assert.equal(await lagOf(client), 50);
    const [line, ...others] = sinkLines(service, 'nats');
    assert.equal(
      line?.['msg'],
      'events for a sink are delayed: the NATS server rejected the credentials',
    );
    assert.deepEqual(others, []);
    assert.equal(await service.stop(), 0);
    const { stdout, stderr } = service.output();
    assert.ok(!`${stdout}${stderr}`.includes('wrong-and-secret'));
  });

  for (const [tooLarge, name] of [
    ['hold', 'an event that is too large holds back later events by default'],
    ['skip', 'skips an event that is too large if configured'],
  ] as const)
    test(name, async (t) => {
      await using nats = await startNats({ configuration: 'max_payload: 4096' });
      await nats.addStream();
      const start = await serve(t, nats, { GATEHOUSE_SINKS_TOO_LARGE: tooLarge });
      await using service = await start();
      const { client, key } = await provision(service);
      const other = await provision(service);
      const large = makeEvent({ subject: 'a', data: 'x'.repeat(5000) });
      const [before, behind, beside] = [
        makeEvent({ subject: 'a' }),
        makeEvent({ subject: 'a' }),
        makeEvent({ subject: 'b' }),
      ];
      await ingest(client, { as: key, body: { events: [before, large, behind, beside] } });
      await ingest(client, { as: other.key, body: { events: [makeEvent({ id: 'elsewhere' })] } });
      const expected = tooLarge === 'hold' ? [before, beside] : [before, behind, beside];
      const ids = ['elsewhere', ...idsOf(expected)].toSorted();
      await until(
        'the expected events are published',
        async () => (await nats.count()) >= ids.length,
      );
      await until('the change is logged', () => sinkLines(service, 'nats').length > 0);
      assert.deepEqual((await idsIn(nats)).toSorted(), ids);
      await until(
        'the lag has the expected value',
        async () => (await lagOf(client)) === (tooLarge === 'hold' ? 4 : 0),
      );
    });

  test('a new sink starts with the next accepted event', async (t) => {
    await using nats = await startNats();
    await nats.addStream();
    const directory = temporaryDirectory();
    t.after(() => directory[Symbol.dispose]());
    const early = makeEvents(5);
    let key = '';
    {
      await using service = await startService(directory.path);
      const made = await provision(service);
      ({ key } = made);
      await ingest(made.client, { as: key, body: { events: early } });
    }
    const late = makeEvents(5);
    {
      await using service = await startService(directory.path, {
        env: { GATEHOUSE_NATS_URL: nats.url },
      });
      await ingest(clientOf(service.url), { as: key, body: { events: late } });
      await until('the expected events are published', async () => (await nats.count()) === 5);
    }
    assert.deepEqual(await idsIn(nats), idsOf(late));
  });
});
