import { isIP } from 'node:net';
import { compatibilityPartitioner, Producer, stringSerializers } from '@platformatic/kafka';
import { Mutex } from 'async-mutex';
import { type EventSink, laneOf, toSinkEvent } from '../event-sink.ts';
import { failureOf, noResponse } from './failure.ts';
import { type KafkaOptions, type KafkaRecord, recordOf, topicOf } from './record.ts';
import { type PartitionedRecord, sendInOrder } from './send.ts';

export type { KafkaOptions };

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;
/**
 * Maximum wait for the metadata of a topic. The library continues afterwards, and the next call joins its request. Without this limit,
 * brokers that accept connections and do not respond would be reported after 92 s: the library requests the supported APIs
 * three times in each of three attempts.
 */
const METADATA_TIMEOUT_MS = 25_000;

/**
 * Creates a sink that publishes to Kafka with an idempotent producer and `acks=all`. Only one request is in flight, so
 * records stay in event order despite failures. Keys map to the same partitions as in the Java client.
 */
export function createKafkaSink(options: KafkaOptions): EventSink {
  const producer = createProducer(options);
  const mutex = new Mutex();

  const publish: EventSink['publish'] = async (spaceId, texts) => {
    const topic = topicOf(options, spaceId);
    const events = texts.map((text) => toSinkEvent(spaceId, text));
    try {
      const records = await withPartitions(
        events.map((event) => recordOf(event, options)),
        topic,
      );
      return await sendInOrder(producer, records, events.map(laneOf), topic);
    } catch (error) {
      const failure = failureOf(error, topic);
      return events.map(() => failure);
    }
  };

  async function withPartitions(
    records: readonly KafkaRecord[],
    topic: string,
  ): Promise<readonly PartitionedRecord[]> {
    const { topics } = await inTime(producer.metadata({ topics: [topic] }));
    const partitions = topics.get(topic)?.partitionsCount ?? 1;
    return records.map((record) => ({
      ...record,
      partition: compatibilityPartitioner(record, Buffer.from(record.key)) % partitions,
    }));
  }

  return {
    publish: (spaceId, texts) => mutex.runExclusive(() => publish(spaceId, texts)),
    close: async () => {
      await producer.close(true);
    },
  };
}

/** Throws `SinkFailure` if the work takes longer than `METADATA_TIMEOUT_MS`. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(noResponse()), METADATA_TIMEOUT_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function createProducer({ brokers, tls, sasl }: KafkaOptions) {
  return new Producer({
    clientId: 'gatehouse',
    bootstrapBrokers: [...brokers],
    serializers: stringSerializers,
    idempotent: true,
    // The protocol requires -1 for a producer without an ID. The library would send 0.
    producerId: -1n,
    producerEpoch: -1,
    autocreateTopics: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    timeout: REQUEST_TIMEOUT_MS,
    retries: 2,
    retryDelay: 250,
    ...(tls ? { tls: {}, tlsServerName: brokers.every(isNamed) } : {}),
    ...(sasl === null
      ? {}
      : {
          sasl: { mechanism: sasl.mechanism, username: sasl.user, password: sasl.password },
        }),
  });
}

/** Reports whether a broker has a host name. The library would send an IP address as the TLS server name, which is invalid. */
function isNamed(broker: string): boolean {
  const { hostname } = new URL(`kafka://${broker}`);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}
