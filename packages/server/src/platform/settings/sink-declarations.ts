import { declare } from './declaration.ts';
import { file, oneOf, optional, secret } from './kinds.ts';
import {
  brokerCredential,
  kafkaBrokers,
  kafkaTopic,
  natsServers,
  natsSubject,
} from './sink-kinds.ts';

/** The settings of the brokers to which events go on. */
export const sinkDeclarations = {
  natsServers: declare({
    variable: 'GATEHOUSE_NATS_URL',
    words:
      'NATS servers to which every accepted event goes on, into a JetStream stream that you made. `tls://` insists on TLS.',
    kind: optional(natsServers),
    default: null,
    defaultWords: 'events do not go to NATS',
  }),
  natsSubject: declare({
    variable: 'GATEHOUSE_NATS_SUBJECT',
    words:
      'Subject of each event there. A placeholder becomes one token, its unsafe characters written as `%2E`.',
    kind: natsSubject,
    default: 'gatehouse.{spaceId}.events',
  }),
  natsUser: declare({
    variable: 'GATEHOUSE_NATS_USER',
    words: 'User name at the NATS servers. Needs the password too.',
    kind: optional(brokerCredential),
    default: null,
    defaultWords: 'none is sent',
  }),
  natsPassword: declare({
    variable: 'GATEHOUSE_NATS_PASSWORD',
    words: 'Password at the NATS servers. Needs the user name too.',
    kind: optional(secret(brokerCredential)),
    default: null,
    defaultWords: 'none is sent',
  }),
  natsToken: declare({
    variable: 'GATEHOUSE_NATS_TOKEN',
    words: 'Token at the NATS servers, instead of a user name.',
    kind: optional(secret(brokerCredential)),
    default: null,
    defaultWords: 'none is sent',
  }),
  natsCredentialsFile: declare({
    variable: 'GATEHOUSE_NATS_CREDENTIALS_FILE',
    words: 'File with a JWT and the seed of an nkey, as `nsc` writes it, instead of a user name.',
    kind: optional(file),
    default: null,
    defaultWords: 'none is used',
  }),
  kafkaBrokers: declare({
    variable: 'GATEHOUSE_KAFKA_BROKERS',
    words:
      'Kafka brokers to which every accepted event goes on, into a topic that you made. They tell of the others.',
    kind: optional(kafkaBrokers),
    default: null,
    defaultWords: 'events do not go to Kafka',
  }),
  kafkaTopic: declare({
    variable: 'GATEHOUSE_KAFKA_TOPIC',
    words: 'Topic of each event there.',
    kind: kafkaTopic,
    default: 'gatehouse.events',
  }),
  kafkaKey: declare({
    variable: 'GATEHOUSE_KAFKA_KEY',
    words:
      'What the key of a record is made of. `subject`: space, source and subject, so that what is about one thing stays in order. `event`: space, source and id, so that no two events share one and a compacted topic keeps all; there is no order then.',
    kind: oneOf('subject', 'event'),
    default: 'subject',
  }),
  kafkaTls: declare({
    variable: 'GATEHOUSE_KAFKA_TLS',
    words: 'Whether the brokers are spoken to over TLS.',
    kind: oneOf('on', 'off'),
    default: 'off',
  }),
  kafkaSasl: declare({
    variable: 'GATEHOUSE_KAFKA_SASL',
    words:
      'How the brokers want a user name and a password. `plain` sends the password as it is: use it with TLS alone.',
    kind: optional(oneOf('plain', 'scram-sha-256', 'scram-sha-512')),
    default: null,
    defaultWords: 'nobody signs in',
  }),
  kafkaUser: declare({
    variable: 'GATEHOUSE_KAFKA_USER',
    words: 'User name at the Kafka brokers.',
    kind: optional(brokerCredential),
    default: null,
    defaultWords: 'none is sent',
  }),
  kafkaPassword: declare({
    variable: 'GATEHOUSE_KAFKA_PASSWORD',
    words: 'Password at the Kafka brokers.',
    kind: optional(secret(brokerCredential)),
    default: null,
    defaultWords: 'none is sent',
  }),
  sinksStart: declare({
    variable: 'GATEHOUSE_SINKS_START',
    words:
      'Where NATS or Kafka begins when it is set for the first time: with what is accepted from then on, or with all that is still kept. Later it goes on where it was.',
    kind: oneOf('newest', 'beginning'),
    default: 'newest',
  }),
  sinksTooLarge: declare({
    variable: 'GATEHOUSE_SINKS_TOO_LARGE',
    words:
      'What becomes of an event that is larger than a broker takes: it waits until the broker is told to take more, and holds back its space, or it is left out, which the log and `/metrics` say.',
    kind: oneOf('hold', 'skip'),
    default: 'hold',
  }),
} as const;
