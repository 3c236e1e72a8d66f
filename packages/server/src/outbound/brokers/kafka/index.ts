import { isIP } from 'node:net';
import { compatibilityPartitioner, Producer, stringSerializers } from '@platformatic/kafka';
import type { EventSink } from '../event-sink.ts';
import { laneOf, toOutgoing } from '../publishing/outgoing.ts';
import { failureOf } from './failure.ts';
import { type KafkaMessage, messageOf, topicOf } from './message.ts';
import type { KafkaOptions } from './options.ts';
import { type PlacedMessage, sendInOrder } from './send.ts';

const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 10_000;

/**
 * Publishes to Kafka by an idempotent producer that waits for all replicas in sync (`acks=all`). One request is under way at
 * a time, so that a partition's records stand in the order of the events, whatever fails. A key goes to the
 * partition that the Java client would choose for it.
 */
export function createKafkaSink(options: KafkaOptions): EventSink {
  const producer = createProducer(options);
  let before: Promise<unknown> = Promise.resolve();

  const publish: EventSink['publish'] = async (spaceId, texts) => {
    const topic = topicOf(options, spaceId);
    const events = texts.map((text) => toOutgoing(spaceId, text));
    try {
      const messages = await withPartitions(
        events.map((event) => messageOf(event, options)),
        topic,
      );
      return await sendInOrder(producer, messages, events.map(laneOf), topic);
    } catch (error) {
      const failure = failureOf(error, topic);
      return events.map(() => failure);
    }
  };

  async function withPartitions(
    messages: readonly KafkaMessage[],
    topic: string,
  ): Promise<readonly PlacedMessage[]> {
    const { topics } = await producer.metadata({ topics: [topic] });
    const partitions = topics.get(topic)?.partitionsCount ?? 1;
    return messages.map((message) => ({
      ...message,
      partition: compatibilityPartitioner(message, Buffer.from(message.key)) % partitions,
    }));
  }

  return {
    publish: (spaceId, texts) => {
      const turn = before.then(() => publish(spaceId, texts));
      before = turn;
      return turn;
    },
    close: async () => {
      await producer.close(true);
    },
  };
}

function createProducer({ brokers, tls, sasl }: KafkaOptions) {
  return new Producer({
    clientId: 'gatehouse',
    bootstrapBrokers: [...brokers],
    serializers: stringSerializers,
    idempotent: true,
    // By the protocol, what a producer without an identity says of it when it asks for one; the library says 0.
    producerId: -1n,
    producerEpoch: -1,
    autocreateTopics: false,
    connectTimeout: CONNECT_WITHIN_MS,
    requestTimeout: ANSWER_WITHIN_MS,
    timeout: ANSWER_WITHIN_MS,
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

/** A server that is named by its address can be asked for no certificate by name, and the library would try to. */
function isNamed(broker: string): boolean {
  const { hostname } = new URL(`kafka://${broker}`);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}
