import { startKafka } from '../../packages/server/tests/support/brokers/kafka/cluster.ts';
import { NO_KAFKA } from '../../packages/server/tests/support/brokers/kafka/program.ts';
import {
  NO_NATS,
  noNatsSince,
  startNats,
} from '../../packages/server/tests/support/brokers/nats-server.ts';
import { type Form, NOTHING, type Peer } from './peer.ts';
import type { JetStreamTarget } from './publish/jetstream.ts';
import type { KafkaTarget } from './publish/kafka.ts';
import { spawnPublish } from './publish/spawn.ts';

const NATS = 'max_payload: 8MB';
/** Minor version of nats-server. */
const ATOMIC_BATCHES_SINCE = 12;
const BY_MESSAGE_ID = 'messages with the same ID within two minutes';

export const SYNCED_JETSTREAM: Peer = {
  missing: noNatsSince(ATOMIC_BATCHES_SINCE),
  start: async (opened) => {
    const nats = opened.use(await startNats({ configuration: NATS, syncAlways: true }));
    await nats.addStream({ allow_atomic: true });
    const acknowledged = 'synced to disk (sync_interval: always)';
    return [
      jetStream('synced', acknowledged, nats.url, 'event'),
      jetStream('synced', acknowledged, nats.url, 'atomic'),
      jetStream('synced', acknowledged, nats.url, 'batch'),
    ];
  },
};

export const JETSTREAM: Peer = {
  missing: NO_NATS,
  start: async (opened) => {
    const nats = opened.use(await startNats({ configuration: NATS }));
    await nats.addStream();
    const acknowledged = 'written, and synced to disk every two minutes';
    return [
      jetStream('not synced', acknowledged, nats.url, 'event'),
      jetStream('not synced', acknowledged, nats.url, 'batch'),
    ];
  },
};

function jetStream(
  sync: string,
  acknowledged: string,
  url: string,
  message: JetStreamTarget['message'],
): Form {
  const messages = {
    event: 'one message per event',
    atomic: 'one message per event in atomic batches',
    batch: 'one message per batch',
  };
  const to: JetStreamTarget = {
    system: 'jetstream',
    url,
    subject: `gatehouse.${message}`,
    message,
  };
  return {
    name: `jetstream, ${sync}, ${messages[message]}`,
    acknowledged,
    deduplicated: message === 'event' ? BY_MESSAGE_ID : NOTHING,
    measure: (shape, seconds) => spawnPublish({ to, ...shape, seconds }),
  };
}

const TOPIC = 'events';
/** Options of `kafka-server-start.sh`. */
const JAVA = [
  ...['-Xmx1G', '-Xms1G', '-server', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20'],
  ...['-XX:InitiatingHeapOccupancyPercent=35', '-XX:+ExplicitGCInvokesConcurrent'],
];

export const SYNCED_KAFKA: Peer = {
  missing: NO_KAFKA,
  start: async (opened) => {
    const kafka = opened.use(await startKafka({ java: JAVA }));
    await kafka.addTopic(TOPIC, {
      configs: { 'flush.messages': '1', 'max.message.bytes': String(2 ** 24) },
    });
    const brokers = kafka.addresses().split(',');
    return [
      kafkaForm('one request per batch', brokers, 'batch'),
      kafkaForm('merged requests', brokers, 'merged'),
    ];
  },
};

function kafkaForm(
  requests: string,
  brokers: readonly string[],
  request: KafkaTarget['request'],
): Form {
  const to: KafkaTarget = { system: 'kafka', brokers, topic: TOPIC, request };
  return {
    name: `kafka, synced, one message per event, ${requests}`,
    acknowledged: 'synced to disk (acks=all, flush.messages=1, one broker)',
    deduplicated: 'retries of one producer, not events',
    measure: (shape, seconds) => spawnPublish({ to, ...shape, seconds }),
  };
}
