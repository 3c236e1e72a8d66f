import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startKafka } from '../../../../tests/support/kafka/broker.ts';
import { NO_KCAT, startLibrdkafka } from '../../../../tests/support/kafka/librdkafka.ts';
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

test('a record has its lane as key and says by headers what it is', async () => {
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

test('a record has the identity of its event as key where that is wanted', async () => {
  await using broker = await startKafka({ topics: { [TOPIC]: 1 } });
  const sink = createKafkaSink(optionsOf(broker.address, { key: 'event' }));
  await sink.publish('space', [eventText({ id: '1', subject: 'order/1' })]);
  await sink.close();
  assert.equal(broker.records(TOPIC)[0]?.[0]?.key, '["space","urn:shop","1"]');
});

test('a key goes to the partition that the Java client would choose', async () => {
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

test('an answer that is lost costs no event and no order', async () => {
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

test('a topic that is not there is refused', async () => {
  await using broker = await startKafka({ topics: {} });
  const sink = createKafkaSink(optionsOf(broker.address));
  assert.equal(
    failureOf(await sink.publish('space', [eventText()])),
    'refused: there is no Kafka topic gatehouse.events',
  );
  await sink.close();
});

for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)
  test(`credentials are sent by ${mechanism}, and wrong ones are told and not shown`, async () => {
    const signIn = { mechanism, user: 'gatehouse', password: 'right-secret' };
    await using broker = await startKafka({ topics: { [TOPIC]: 1 }, signIn });
    for (const [password, expected] of [
      ['right-secret', 'published'],
      ['wrong-secret', 'unauthorized: the Kafka brokers refuse the credentials'],
    ] as const) {
      const sink = createKafkaSink(optionsOf(broker.address, { sasl: { ...signIn, password } }));
      const outcomes = await sink.publish('space', [eventText()]);
      assert.equal(outcomes[0] === 'published' ? 'published' : failureOf(outcomes), expected);
      await sink.close();
    }
  });

test("librdkafka's broker takes our batches, and its consumer reads what was sent", {
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
  await until('all are read', () => librdkafka.consumed().length >= events.length);
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

/** As Kafka's Java client computes it (`Utils.murmur2`). */
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
