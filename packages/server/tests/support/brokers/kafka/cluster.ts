import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Admin } from '@platformatic/kafka';
import { freePort } from '../../services/free-port.ts';
import { until } from '../../until.ts';
import { type ConsumedRecord, consume, formatStorage, spawnBroker } from './program.ts';
import { type BrokerOptions, type Listener, type Ports, propertiesOf } from './properties.ts';
import { type BrokerProxy, startProxy } from './proxy.ts';

export interface Broker {
  readonly id: number;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Sends SIGSTOP or SIGCONT. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Kafka brokers in KRaft mode in a temporary directory. Disposing them kills the processes and deletes the directory. */
export interface KafkaCluster extends AsyncDisposable {
  readonly brokers: readonly Broker[];
  /** A proxy to the first broker. */
  readonly proxy: BrokerProxy;
  /** Returns the addresses of a listener, separated by commas. */
  addresses(listener?: Listener): string;
  addTopic(name: string, options?: TopicOptions): Promise<void>;
  /** Returns the leader of the first partition. */
  leaderOf(topic: string): Promise<Broker>;
  /** Waits until all replicas of the first partition are in sync. */
  untilInSync(topic: string): Promise<void>;
  records(topic: string): Promise<readonly ConsumedRecord[]>;
}

export interface TopicOptions {
  readonly partitions?: number;
  /** Configuration of the topic. */
  readonly configs?: Readonly<Record<string, string>>;
}

export interface ClusterOptions extends BrokerOptions {
  readonly size?: 1 | 3;
}

/** Maximum length of the shown end of a broker's output. */
const MAX_OUTPUT_LENGTH = 2000;
const CLUSTER_ID = 'AAAAAAAAQACAAAAAAAAAAQ';

export async function startKafka(options: ClusterOptions = {}): Promise<KafkaCluster> {
  await using opened = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-kafka-'));
  opened.defer(() => rmSync(directory, { recursive: true, force: true }));
  const ids = Array.from({ length: options.size ?? 1 }, (_, index) => index + 1);
  const ports = new Map<number, Ports>();
  for (const id of ids) ports.set(id, await freePorts());
  const brokers = await Promise.all(ids.map((id) => createBroker(id, ports, directory, options)));
  const [first] = ports.values();
  const proxy = opened.use(await startProxy(first?.PROXY ?? 0, first?.PROXIED ?? 0));
  opened.defer(async () => {
    await Promise.all(brokers.map((broker) => broker.stop('SIGKILL')));
  });
  await Promise.all(brokers.map((broker) => broker.start()));
  const addresses = (listener: Listener = 'TEST') =>
    [...ports.values()].map((each) => `127.0.0.1:${each[listener]}`).join(',');

  async function administer<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = new Admin({
      clientId: 'test',
      bootstrapBrokers: addresses().split(','),
      retries: 20,
      retryDelay: 250,
    });
    try {
      return await work(admin);
    } finally {
      await admin.close();
    }
  }

  const partitionOf = (topic: string) =>
    administer(async (admin) => {
      const metadata = await admin.metadata({ topics: [topic], forceUpdate: true });
      const partition = metadata.topics.get(topic)?.partitions[0];
      if (partition === undefined) throw new Error(`the topic ${topic} does not exist`);
      return partition;
    });

  const cluster = opened.move();
  return {
    brokers,
    proxy,
    addresses,
    addTopic: (name, { partitions = 1, configs = {} } = {}) =>
      administer(async (admin) => {
        await admin.createTopics({
          topics: [name],
          partitions,
          replicas: ids.length,
          configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
        });
      }),
    leaderOf: async (topic) => {
      const { leader } = await partitionOf(topic);
      const found = brokers.find(({ id }) => id === leader);
      if (found === undefined) throw new Error('the topic has no leader');
      return found;
    },
    untilInSync: (topic) =>
      until('all replicas are in sync', async () => {
        const { isr } = await partitionOf(topic);
        return isr.length === ids.length;
      }),
    records: (topic) => consume(addresses(), topic),
    [Symbol.asyncDispose]: () => cluster.disposeAsync(),
  };
}

async function createBroker(
  id: number,
  ports: ReadonlyMap<number, Ports>,
  directory: string,
  options: BrokerOptions,
): Promise<Broker> {
  const file = join(directory, `${id}.properties`);
  writeFileSync(file, propertiesOf(id, ports, join(directory, String(id)), options));
  const { user } = options;
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    user === undefined ? [] : [`${mechanism}=[name=${user.name},password=${user.password}]`],
  );
  await formatStorage(file, CLUSTER_ID, scram);
  let child: ChildProcess | null = null;
  process.once('exit', () => child?.kill('SIGKILL'));

  return {
    id,
    start: async () => {
      const started = spawnBroker(file, options.java);
      child = started;
      let output = '';
      // Java writes the errors of its own start to stdout, such as missing memory, and Kafka writes its errors to stderr.
      for (const stream of [started.stdout, started.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-MAX_OUTPUT_LENGTH);
        });
      await until('the broker listens', () => {
        const { exitCode } = started;
        if (exitCode !== null) throw new Error(`Kafka exited with ${exitCode}: ${output}`);
        return isListening(ports.get(id)?.TEST ?? 0);
      });
    },
    stop: async (signal = 'SIGTERM') => {
      if (child === null) return;
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      }
      child = null;
    },
    signal: (signal) => void child?.kill(signal),
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

async function freePorts(): Promise<Ports> {
  return {
    CONTROLLER: await freePort(),
    TEST: await freePort(),
    PROXIED: await freePort(),
    PROXY: await freePort(),
    SASL: await freePort(),
    TLS: await freePort(),
    SASL_TLS: await freePort(),
  };
}
