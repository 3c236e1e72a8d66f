import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { type Broker, type KafkaCluster, startKafka } from '../support/brokers/kafka/cluster.ts';
import { NO_KAFKA } from '../support/brokers/kafka/program.ts';
import { untilPublished } from '../support/brokers/kafka/publishing.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { createSender, type Sender } from '../support/events/sender.ts';
import { makeCertificate, NO_OPENSSL } from '../support/http/certificate.ts';
import { clientOf } from '../support/http/client.ts';
import { seeded } from '../support/seeded.ts';
import { sinkLines } from '../support/services/log-lines.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const USER = { name: 'gatehouse', password: 'pässwörd' };

describe('publishing events to Kafka', { skip: NO_KAFKA || NO_OPENSSL }, () => {
  const directory = temporaryDirectory();
  let certificate = '';
  let kafka: KafkaCluster;
  let broker: Broker;
  let made = 0;

  before(async () => {
    const files = makeCertificate(directory.path);
    certificate = files.certificate;
    const keyAndCertificate = join(directory.path, 'both.pem');
    writeFileSync(keyAndCertificate, readFileSync(files.key, 'utf8') + readFileSync(certificate));
    kafka = await startKafka({ user: USER, keyAndCertificate });
    broker = kafka.brokers[0] as Broker;
  });
  after(async () => {
    await kafka?.[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  /** Creates a topic and returns a function that starts a service for it, always on the same data directory. */
  async function serve(env: Readonly<Record<string, string>> = {}, configs = {}) {
    made += 1;
    const topic = `shop.events.${made}`;
    await kafka.addTopic(topic, { partitions: 3, configs });
    const start = () =>
      startService(join(directory.path, String(made)), {
        capture: true,
        env: {
          GATEHOUSE_KAFKA_BROKERS: kafka.addresses(),
          GATEHOUSE_KAFKA_TOPIC: topic,
          ...env,
        },
      });
    return { topic, start };
  }

  test('publishes each event once and in order although the broker stops and is killed', async () => {
    const { topic, start } = await serve();
    await using service = await start();
    const sender = await createSender(clientOf(service.url));
    const lines = () => sinkLines(service, 'kafka').filter(({ reason }) => reason !== 'refused');
    const send = async () => {
      for (const subject of ['a', 'b', 'c']) await sender.send(service.url, subject, 50);
    };
    await send();
    await send();
    await untilPublished(kafka, topic, sender);
    for (const [outage, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
      await broker.stop(signal);
      await send();
      await until('the failure is logged', () => lines().length > 2 * outage);
      await broker.start();
      const { bySubject, records } = await untilPublished(kafka, topic, sender);
      assert.deepEqual(bySubject, sender.sent);
      assert.equal(records, 300 + 150 * (outage + 1));
      await until('the recovery is logged', () => lines().length === 2 * (outage + 1));
    }
    assert.deepEqual(
      lines().map(({ reason }) => reason),
      ['unreachable', undefined, 'unreachable', undefined],
    );
    assert.equal(await service.stop(), 0);
  });

  test('publishes all events in order although the broker stops in the middle of a batch', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const random = seeded(SEED);
    const { topic, start } = await serve();
    await using service = await start();
    const sender = await createSender(clientOf(service.url));
    for (let round = 0; round < roundsOf(1, 30); round += 1) {
      const sending = (async () => {
        for (let batch = 0; batch < 10; batch += 1)
          await sender.send(service.url, `order/${batch % 3}`, 60);
      })();
      await sleep(random.below(300));
      broker.signal('SIGSTOP');
      await sending;
      // Longer than the timeout of a request in some rounds of the campaign.
      await sleep(random.below(FULL ? 15_000 : 500));
      if (round % 2 === 0) broker.signal('SIGCONT');
      else {
        await broker.stop('SIGKILL');
        await broker.start();
      }
    }
    const { bySubject, records } = await untilPublished(kafka, topic, sender);
    assert.deepEqual(bySubject, sender.sent);
    t.diagnostic(`${records} records`);
    assert.equal(await service.stop(), 0);
  });

  test('publishes all events in order despite kills of the service and lost responses', async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const random = seeded(SEED);
    const { topic, start } = await serve({ GATEHOUSE_KAFKA_BROKERS: kafka.proxy.address });
    let sender: Sender | null = null;
    for (let round = 0; round < roundsOf(1, 40); round += 1) {
      await using service = await start();
      sender ??= await createSender(clientOf(service.url));
      for (let batch = 0; batch < 8; batch += 1) {
        if (random.below(4) === 0) kafka.proxy.loseAnswers(1);
        await sender.send(service.url, `order/${random.below(3)}`, 40);
      }
      await sleep(random.below(60));
      await service.stop('SIGKILL');
    }
    await using service = await start();
    assert.ok(sender !== null);
    const { bySubject, records } = await untilPublished(kafka, topic, sender);
    assert.deepEqual(bySubject, sender.sent);
    t.diagnostic(`${records} records, ${kafka.proxy.lost()} lost responses`);
    assert.equal(await service.stop(), 0);
  });

  for (const tooLarge of FULL ? (['hold', 'skip'] as const) : (['skip'] as const))
    test(`an event that is too large for the topic is subject to the setting \`${tooLarge}\``, async () => {
      const { topic, start } = await serve(
        { GATEHOUSE_SINKS_TOO_LARGE: tooLarge },
        { 'max.message.bytes': '4096' },
      );
      await using service = await start();
      const { key } = await createSender(clientOf(service.url));
      const large = makeEvent({ subject: 'a', data: 'x'.repeat(5000) });
      const [first, behind, beside] = ['a', 'a', 'b'].map((subject) => makeEvent({ subject }));
      const events = [first, large, behind, beside];
      await ingest(clientOf(service.url), { as: key, body: { events } });
      const expected = tooLarge === 'hold' ? [first, beside] : [first, behind, beside];
      const payloads = async () =>
        (await kafka.records(topic)).map(({ payload }) => JSON.parse(payload).id).toSorted();
      await until(
        'the others are published',
        async () => (await payloads()).length >= expected.length,
      );
      await until('the failure is logged', () => sinkLines(service, 'kafka').length > 0);
      assert.deepEqual(await payloads(), expected.map((event) => event?.['id']).toSorted());
    });

  const secure = () => ({
    GATEHOUSE_KAFKA_BROKERS: kafka.addresses('SASL_TLS'),
    GATEHOUSE_KAFKA_TLS: 'on',
    GATEHOUSE_KAFKA_USER: USER.name,
    GATEHOUSE_KAFKA_PASSWORD: USER.password,
  });

  // The tests of the sink sign in without TLS in every run.
  for (const mechanism of FULL ? ['plain', 'scram-sha-512'] : [])
    test(`publishes over TLS with a user name and a password by ${mechanism}`, async () => {
      const { topic, start } = await serve({
        ...secure(),
        GATEHOUSE_KAFKA_SASL: mechanism,
        NODE_EXTRA_CA_CERTS: certificate,
      });
      await using service = await start();
      const sender = await createSender(clientOf(service.url));
      await sender.send(service.url, 'a', 10);
      assert.equal((await untilPublished(kafka, topic, sender)).records, 10);
      assert.deepEqual(sinkLines(service, 'kafka'), []);
    });

  test('does not sign in to a broker with an untrusted certificate', async () => {
    const { topic, start } = await serve({ ...secure(), GATEHOUSE_KAFKA_SASL: 'plain' });
    await using service = await start();
    const sender = await createSender(clientOf(service.url));
    await sender.send(service.url, 'a', 10);
    await until('the failure is logged', () => sinkLines(service, 'kafka').length > 0);
    assert.equal(
      sinkLines(service, 'kafka')[0]?.['msg'],
      'events for a sink are delayed: the Kafka brokers cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    assert.deepEqual(await kafka.records(topic), []);
  });
});
