import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startKafka } from '../../../../tests/support/brokers/kafka/broker.ts';
import { NO_KCAT, startLibrdkafka } from '../../../../tests/support/brokers/kafka/librdkafka.ts';
import { until } from '../../../../tests/support/until.ts';
import { eventSinkSuite, eventText } from '../event-sink.suite.ts';
import { type Outcome, SinkFailure } from '../event-sink.ts';
import { createKafkaSink, type KafkaOptions } from './index.ts';

const TOPIC = 'gatehouse.events';
const MAX_BATCH = 65_536;

function optionsOf(address: string, options: Partial<KafkaOptions> = {}): KafkaOptions {
  return { brokers: [address], topic: TOPIC, key: 'subject', tls: false, sasl: null, ...options };
}

eventSinkSuite('Kafka', false, async () => {
  const broker = await startKafka({ topics: { [TOPIC]: 3 }, maxBatchBytes: MAX_BATCH });
  const sink = createKafkaSink(optionsOf(broker.address));
  return {
    sink,
    tooLarge: MAX_BATCH,
    published: async () =>
      broker.records(TOPIC).flatMap((records) => records.map(({ value }) => value ?? '')),
    stopBroker: () => broker.stop(),
    startBroker: () => broker.start(),
    [Symbol.asyncDispose]: async () => {
      await sink.close();
      await broker[Symbol.asyncDispose]();
    },
  };
});

const failureOf = ([outcome]: readonly Outcome[]) => {
  assert.ok(outcome instanceof SinkFailure, String(outcome));
  return `${outcome.reason}: ${outcome.message}`;
};

test('a record has its lane as key and the event attributes as headers', async () => {
  await using broker = await startKafka({ topics: { 'events-space': 1 } });
  const sink = createKafkaSink(optionsOf(broker.address, { topic: 'events-{spaceId}' }));
  const event = eventText({ id: 'é', subject: 'order/1' });
  await sink.publish('space', [event, eventText()]);
  await sink.close();
  const [record, other] = broker.records('events-space')[0] ?? [];
  assert.equal(record?.key, '["space","urn:shop","order/1"]');
  assert.equal(other?.key, '["space","urn:shop"]');
  assert.equal(record?.value, event);
  assert.deepEqual(Object.fromEntries(record?.headers ?? []), {
    'content-type': 'application/cloudevents+json; charset=UTF-8',
    ce_specversion: '1.0',
    ce_id: 'é',
    ce_source: 'urn:shop',
    ce_type: 'order.placed',
    ce_subject: 'order/1',
    gatehouse_space_id: 'space',
  });
});

test('with the key option `event`, the key of a record is the identity of its event', async () => {
  await using broker = await startKafka({ topics: { [TOPIC]: 1 } });
  const sink = createKafkaSink(optionsOf(broker.address, { key: 'event' }));
  await sink.publish('space', [eventText({ id: '1', subject: 'order/1' })]);
  await sink.close();
  assert.equal(broker.records(TOPIC)[0]?.[0]?.key, '["space","urn:shop","1"]');
});

test('assigns keys to the same partitions as the Java client', async () => {
  await using broker = await startKafka({ topics: { [TOPIC]: 5 } });
  const sink = createKafkaSink(optionsOf(broker.address));
  const events = Array.from({ length: 40 }, (_, index) => eventText({ subject: `order/${index}` }));
  await sink.publish('space', events);
  await sink.close();
  const partitions = broker.records(TOPIC);
  assert.equal(partitions.flat().length, 40);
  for (const [partition, records] of partitions.entries())
    for (const { key } of records)
      assert.equal((murmur2(Buffer.from(key ?? '')) & 0x7fffffff) % 5, partition);
});

test('a lost response neither loses nor reorders events', async () => {
  await using broker = await startKafka({ topics: { [TOPIC]: 1 } });
  const sink = createKafkaSink(optionsOf(broker.address));
  const events = Array.from({ length: 10 }, () => eventText({ subject: 'order/1' }));
  await sink.publish('space', [eventText()]);
  broker.loseAnswers(1);
  const outcomes = await sink.publish('space', events);
  assert.deepEqual([...new Set(outcomes)], ['published']);
  await sink.close();
  const values = broker.records(TOPIC)[0]?.map(({ value }) => value) ?? [];
  assert.deepEqual(values.slice(1), events);
});

test('reports a missing topic', async () => {
  await using broker = await startKafka({ topics: {} });
  const sink = createKafkaSink(optionsOf(broker.address));
  assert.equal(
    failureOf(await sink.publish('space', [eventText()])),
    'refused: the Kafka topic gatehouse.events does not exist',
  );
  await sink.close();
});

for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)
  test(`authenticates with ${mechanism} and reports wrong credentials without showing them`, async () => {
    const signIn = { mechanism, user: 'gatehouse', password: 'right-secret' };
    await using broker = await startKafka({ topics: { [TOPIC]: 1 }, signIn });
    for (const [password, expected] of [
      ['right-secret', 'published'],
      ['wrong-secret', 'unauthorized: the Kafka brokers rejected the credentials'],
    ] as const) {
      const sink = createKafkaSink(optionsOf(broker.address, { sasl: { ...signIn, password } }));
      const outcomes = await sink.publish('space', [eventText()]);
      assert.equal(outcomes[0] === 'published' ? 'published' : failureOf(outcomes), expected);
      await sink.close();
    }
  });

test("librdkafka's broker accepts the batches, and librdkafka's consumer reads them", {
  skip: NO_KCAT,
}, async () => {
  await using librdkafka = await startLibrdkafka(TOPIC);
  const sink = createKafkaSink(optionsOf(librdkafka.address));
  const events = Array.from({ length: 300 }, (_, index) =>
    eventText({ subject: `order/${index % 7}`, data: `é ✓ 🦒 ${index}` }),
  );
  for (let at = 0; at < events.length; at += 100) {
    const outcomes = await sink.publish('space', events.slice(at, at + 100));
    assert.deepEqual([...new Set(outcomes)], ['published']);
  }
  await sink.close();
  await until('all events are consumed', () => librdkafka.consumed().length >= events.length);
  const read = librdkafka.consumed();
  assert.equal(read.length, events.length);
  for (let lane = 0; lane < 7; lane += 1) {
    const key = `["space","urn:shop","order/${lane}"]`;
    assert.deepEqual(
      read.filter((record) => record.key === key).map(({ payload }) => payload),
      events.filter((_, index) => index % 7 === lane),
    );
  }
  assert.deepEqual(read[0]?.headers.slice(0, 2), [
    'content-type',
    'application/cloudevents+json; charset=UTF-8',
  ]);
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
