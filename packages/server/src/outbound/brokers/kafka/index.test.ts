import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type KafkaCluster,
  startKafka,
  type TopicOptions,
} from '../../../../tests/support/brokers/kafka/cluster.ts';
import { NO_KAFKA } from '../../../../tests/support/brokers/kafka/program.ts';
import { eventSinkSuite, eventText } from '../event-sink.suite.ts';
import { type Outcome, SinkFailure } from '../event-sink.ts';
import { createKafkaSink, type KafkaOptions } from './index.ts';

const TOO_LARGE = 65_536;
const USER = { name: 'gatehouse', password: 'right-secret' };

let kafka: KafkaCluster;
before(async () => {
  if (NO_KAFKA === false) kafka = await startKafka({ user: USER });
});
after(() => kafka?.[Symbol.asyncDispose]());

let topics = 0;

async function newTopic(options: TopicOptions = {}): Promise<string> {
  topics += 1;
  const topic = `events-${topics}`;
  await kafka.addTopic(topic, options);
  return topic;
}

function sinkTo(topic: string, options: Partial<KafkaOptions> = {}) {
  const brokers = [kafka.addresses()];
  return createKafkaSink({ brokers, topic, key: 'subject', tls: false, sasl: null, ...options });
}

const payloadsIn = async (topic: string) =>
  (await kafka.records(topic)).map(({ payload }) => payload);

eventSinkSuite('Kafka', NO_KAFKA, async () => {
  const configs = { 'max.message.bytes': String(TOO_LARGE) };
  const topic = await newTopic({ partitions: 3, configs });
  const sink = sinkTo(topic);
  const [broker] = kafka.brokers;
  assert.ok(broker !== undefined);
  return {
    sink,
    tooLarge: TOO_LARGE,
    published: () => payloadsIn(topic),
    stopBroker: () => broker.stop(),
    startBroker: () => broker.start(),
    [Symbol.asyncDispose]: async () => {
      await sink.close();
      await broker.start();
    },
  };
});

describe('the records of a sink to Kafka', { skip: NO_KAFKA }, () => {
  test('have their lane as key and the event attributes as headers', async () => {
    await kafka.addTopic('events-space');
    const sink = sinkTo('events-{spaceId}');
    const event = eventText({ id: 'é', subject: 'order/1' });
    await sink.publish('space', [event, eventText()]);
    await sink.close();
    const [record, other] = await kafka.records('events-space');
    assert.equal(record?.key, '["space","urn:shop","order/1"]');
    assert.equal(other?.key, '["space","urn:shop"]');
    assert.equal(record?.payload, event);
    assert.deepEqual(record?.headers, [
      ...['content-type', 'application/cloudevents+json; charset=UTF-8'],
      ...['ce_specversion', '1.0'],
      ...['ce_id', 'é'],
      ...['ce_source', 'urn:shop'],
      ...['ce_type', 'order.placed'],
      ...['ce_subject', 'order/1'],
      ...['gatehouse_space_id', 'space'],
    ]);
  });

  test('have the identity of their event as key with the key option `event`', async () => {
    const topic = await newTopic();
    const sink = sinkTo(topic, { key: 'event' });
    await sink.publish('space', [eventText({ id: '1', subject: 'order/1' })]);
    await sink.close();
    assert.equal((await kafka.records(topic))[0]?.key, '["space","urn:shop","1"]');
  });

  test('are in the same partitions as those of the Java client', async () => {
    const topic = await newTopic({ partitions: 5 });
    const sink = sinkTo(topic);
    const events = Array.from({ length: 40 }, (_, index) =>
      eventText({ subject: `order/${index}` }),
    );
    await sink.publish('space', events);
    await sink.close();
    const records = await kafka.records(topic);
    assert.equal(records.length, 40);
    for (const { key, partition } of records)
      assert.equal((murmur2(Buffer.from(key)) & 0x7fffffff) % 5, partition);
  });

  test('are neither lost nor duplicated nor reordered after a lost response', async () => {
    const topic = await newTopic();
    const sink = sinkTo(topic, { brokers: [kafka.proxy.address] });
    const events = Array.from({ length: 10 }, () => eventText({ subject: 'order/1' }));
    await sink.publish('space', [eventText()]);
    kafka.proxy.loseAnswers(1);
    const outcomes = await sink.publish('space', events);
    assert.equal(kafka.proxy.lost(), 1);
    assert.deepEqual([...new Set(outcomes)], ['published']);
    await sink.close();
    assert.deepEqual((await payloadsIn(topic)).slice(1), events);
  });
});

describe('failures of a sink to Kafka', { skip: NO_KAFKA }, () => {
  const failureOf = ([outcome]: readonly Outcome[]) => {
    assert.ok(outcome instanceof SinkFailure, String(outcome));
    return `${outcome.reason}: ${outcome.message}`;
  };

  test('name a missing topic', async () => {
    const sink = sinkTo('missing');
    assert.equal(
      failureOf(await sink.publish('space', [eventText()])),
      'refused: the Kafka topic missing does not exist',
    );
    await sink.close();
  });

  for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)
    test(`report credentials that ${mechanism} rejects without showing them`, async () => {
      const topic = await newTopic();
      for (const [password, expected] of [
        ['right-secret', 'published'],
        ['wrong-secret', 'unauthorized: the Kafka brokers rejected the credentials'],
      ] as const) {
        const sasl = { mechanism, user: USER.name, password };
        const sink = sinkTo(topic, { brokers: [kafka.addresses('SASL')], sasl });
        const outcomes = await sink.publish('space', [eventText()]);
        assert.equal(outcomes[0] === 'published' ? 'published' : failureOf(outcomes), expected);
        await sink.close();
      }
    });
});

/** Port of `Utils.murmur2` in Kafka's Java client. */
function murmur2(bytes: Buffer): number {
  const mix = 0x5bd1e995;
  let hash = 0x9747b28c ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), mix);
    word = Math.imul(word ^ (word >>> 24), mix);
    hash = Math.imul(hash, mix) ^ word;
  }
  const rest = bytes.subarray(whole);
  if (rest.length === 3) hash ^= (rest[2] as number) << 16;
  if (rest.length >= 2) hash ^= (rest[1] as number) << 8;
  if (rest.length >= 1) hash = Math.imul(hash ^ (rest[0] as number), mix);
  hash = Math.imul(hash ^ (hash >>> 13), mix);
  return hash ^ (hash >>> 15);
}
