import { readFileSync } from 'node:fs';
import type { EventSink } from '../event-sink.ts';
import type { KafkaOptions } from '../kafka/index.ts';
import type { NatsOptions } from '../nats/index.ts';
import { type Broker, createThreadedSink } from './threaded-sink.ts';

interface Concealed {
  reveal(): string;
}

export interface SinkSettings {
  readonly natsUrl: readonly string[] | null;
  readonly natsSubject: string;
  readonly natsUser: string | null;
  readonly natsPassword: Concealed | null;
  readonly natsToken: Concealed | null;
  readonly natsCredentialsFile: string | null;
  readonly kafkaBrokers: readonly string[] | null;
  readonly kafkaTopic: string;
  readonly kafkaKey: 'subject' | 'event';
  readonly kafkaTls: 'on' | 'off';
  readonly kafkaSasl: 'plain' | 'scram-sha-256' | 'scram-sha-512' | null;
  readonly kafkaUser: string | null;
  readonly kafkaPassword: Concealed | null;
}

/** Reports a credentials file that cannot be used. The message is for the operator. */
export class UnusableCredentials extends Error {
  override readonly name = 'UnusableCredentials';
}

/**
 * Creates the configured sinks, with the names `nats` and `kafka`. A sink loads its client library and connects when
 * the first events are published. Throws `UnusableCredentials`.
 */
export function createBrokerSinks(settings: SinkSettings): ReadonlyMap<string, EventSink> {
  const brokers: Broker[] = [];
  const nats = natsOptions(settings);
  if (nats !== null) brokers.push({ kind: 'nats', options: nats });
  const kafka = kafkaOptions(settings);
  if (kafka !== null) brokers.push({ kind: 'kafka', options: kafka });
  return new Map(brokers.map((broker) => [broker.kind, createThreadedSink(broker)]));
}

function natsOptions(settings: SinkSettings): NatsOptions | null {
  const { natsUrl: servers, natsCredentialsFile: file } = settings;
  if (servers === null) return null;
  return {
    servers,
    subject: settings.natsSubject,
    user: settings.natsUser,
    password: settings.natsPassword?.reveal() ?? null,
    token: settings.natsToken?.reveal() ?? null,
    credentials: file === null ? null : readCredentials(file),
  };
}

function readCredentials(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnusableCredentials(`GATEHOUSE_NATS_CREDENTIALS_FILE: cannot be read (${code})`);
  }
  if (/-----BEGIN NATS USER JWT-----/.test(text) && /-----BEGIN USER NKEY SEED-----/.test(text))
    return text;
  throw new UnusableCredentials(
    'GATEHOUSE_NATS_CREDENTIALS_FILE: must contain a NATS user JWT and the seed of an nkey',
  );
}

function kafkaOptions(settings: SinkSettings): KafkaOptions | null {
  const { kafkaBrokers: brokers, kafkaSasl, kafkaUser, kafkaPassword } = settings;
  if (brokers === null) return null;
  const signsIn = kafkaSasl !== null && kafkaUser !== null && kafkaPassword !== null;
  return {
    brokers,
    topic: settings.kafkaTopic,
    key: settings.kafkaKey,
    tls: settings.kafkaTls === 'on',
    sasl: signsIn
      ? { mechanism: MECHANISMS[kafkaSasl], user: kafkaUser, password: kafkaPassword.reveal() }
      : null,
  };
}

const MECHANISMS = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
} as const;
