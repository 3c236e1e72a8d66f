import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { connect } from '@nats-io/transport-node';
import type { KafkaCluster } from '../../../../packages/server/tests/support/brokers/kafka/cluster.ts';
import type { NatsServer } from '../../../../packages/server/tests/support/brokers/nats-server.ts';
import type { SentEvent } from '../../../../packages/server/tests/support/events/events.ts';
import { type Part, type Setting, violations } from '../../setting.ts';
import { type SentEvents, Tally } from '../../tally.ts';
import { untilComplete } from './consumers.ts';

/** Counts the events that the service publishes to NATS. */
export async function startNatsSink(
  { space }: Setting,
  sent: SentEvents,
  nats: NatsServer,
): Promise<Part> {
  const published = new Tally();
  const subjects = `gatehouse.${space.id}.>`;
  let messages = 0;
  const connection = await connect({ servers: nats.url });
  connection.subscribe(subjects, {
    callback: (_, message) => {
      messages += 1;
      published.add(message.json<SentEvent>()['id']);
    },
  });
  await connection.flush();
  return {
    run: async () => {},
    check: async () => {
      const lacking = await untilComplete(sent, published);
      await connection.close();
      const stored = await nats.count(subjects);
      return violations({
        'events that NATS lacks': lacking,
        'events that the stream of NATS lacks': Math.max(0, sent.sent - stored),
      });
    },
    counts: () => ({ natsMessages: messages }),
  };
}

/** Counts the events of the space in a topic of Kafka, with librdkafka's consumer. */
export function startKafkaSink(
  { space, failures }: Setting,
  sent: SentEvents,
  kafka: KafkaCluster,
  topic: string,
): Part {
  const published = new Tally();
  let records = 0;
  const options = ['-C', '-q', '-u', '-b', kafka.addresses(), '-t', topic, '-o', 'beginning'];
  const consumer = spawn('kcat', [...options, '-X', 'check.crcs=true', '-f', '%h\n'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  consumer.once('error', (error) => failures.push(`kcat: ${error.message}`));
  const exited = once(consumer, 'exit').catch(() => {});
  createInterface(consumer.stdout).on('line', (headers) => {
    if (!headers.includes(`gatehouse_space_id=${space.id}`)) return;
    records += 1;
    published.add(/(?:^|,)ce_id=(\d+),/.exec(headers)?.[1]);
  });
  return {
    run: async () => {},
    check: async () => {
      const lacking = await untilComplete(sent, published);
      if (consumer.exitCode !== null) failures.push(`kcat ended with ${consumer.exitCode}`);
      consumer.kill();
      await exited;
      return violations({ 'events that Kafka lacks': lacking });
    },
    // A replica that is killed may have published events whose position is not stored yet.
    counts: () => ({ kafkaRecords: records, kafkaRepeated: sent.repeated(published) }),
  };
}
