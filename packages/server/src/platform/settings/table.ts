import {
  credential,
  databaseUrl,
  email,
  endpoint,
  host,
  installationSecret,
  integer,
  kafkaBrokers,
  kafkaTopic,
  modelKey,
  modelName,
  natsServers,
  natsSubject,
  networks,
  oneOf,
  optional,
  origin,
  password,
  path,
  port,
  price,
  secret,
  withDefault,
} from './schemas.ts';

const MIB = 1024 * 1024;

/** All settings, in the order of docs/configuration.md, which is generated from this table. */
export const table = {
  GATEHOUSE_HOST: withDefault(host, '127.0.0.1').describe(
    'Address to listen on. `0.0.0.0` or `::` listens on all; put a proxy that terminates TLS in front.',
  ),
  GATEHOUSE_PORT: withDefault(port, '8080').describe(
    'TCP port to listen on. `0` selects any free port; the log contains its number.',
  ),
  GATEHOUSE_BASE_URL: optional(origin, '`http://` with the host and port listened on').describe(
    'URL under which people and browsers reach the service. Access links start with it.',
  ),
  GATEHOUSE_DATA_DIR: withDefault(path, './data').describe(
    'Directory of the database and the keys, created at the first start. Only one running service may use it. Back up the whole directory.',
  ),
  GATEHOUSE_DATABASE_URL: optional(secret(databaseUrl), 'SQLite in the data directory').describe(
    'PostgreSQL database (13 or later) to use instead of SQLite. Several services may share one.',
  ),
  GATEHOUSE_DATABASE_CONNECTIONS: withDefault(integer(4, 1000), '10').describe(
    'Maximum connections to PostgreSQL per service, in addition to two for notifications.',
  ),
  GATEHOUSE_SECRET: optional(
    secret(installationSecret),
    'with SQLite, one is generated and stored in the data directory (`keys/secret`)',
  ).describe(
    'The secret of the installation. Its keys are derived from it, and without it the encrypted data in the database is lost, so store a copy apart from the backups of the database. All replicas need the same one. Required with `GATEHOUSE_DATABASE_URL`.',
  ),
  GATEHOUSE_ADMIN_EMAIL: optional(
    email,
    'one is generated and printed once with its password',
  ).describe(
    'E-mail address of the first administrator, used while no user exists. Requires the password too.',
  ),
  GATEHOUSE_ADMIN_PASSWORD: optional(
    secret(password),
    'one is generated and printed once',
  ).describe(
    'Password of the first administrator, used while no user exists. Requires the e-mail address too.',
  ),
  GATEHOUSE_MODEL_URL: optional(endpoint, 'no model is used').describe(
    'Base URL of an OpenAI-compatible API, such as `https://api.example/v1`. The input of the models is sent to it.',
  ),
  GATEHOUSE_MODEL_KEY: optional(secret(modelKey), 'none is sent').describe(
    'Key of that API, sent as `Authorization: Bearer`.',
  ),
  GATEHOUSE_MODEL_NAME: optional(
    modelName,
    'documents are quoted, unless a bot names a model',
  ).describe(
    'Model that answers in chats if the bot names none. Questions, earlier turns and passages of documents are sent to `GATEHOUSE_MODEL_URL`.',
  ),
  GATEHOUSE_MODEL_PRICE_INPUT: optional(price, 'no cost is recorded').describe(
    'Price of a million input tokens, in any currency. The cost of each answer is then stored with it and counted in `/metrics`. The same price applies to all models that answer. Requires the price of output tokens too.',
  ),
  GATEHOUSE_MODEL_PRICE_OUTPUT: optional(price, 'no cost is recorded').describe(
    'Price of a million output tokens, in the same currency. Requires the price of input tokens too.',
  ),
  GATEHOUSE_EMBEDDING_MODEL: optional(modelName, 'search uses only words').describe(
    'Embedding model, with which search also finds passages that say the same in other words. The texts of documents and queries are sent to `GATEHOUSE_MODEL_URL`. If you change it, all vectors are computed again.',
  ),
  GATEHOUSE_DRAIN_SECONDS: optional(
    integer(0, 3600),
    '`0` with SQLite, `5` with PostgreSQL',
  ).describe(
    'Seconds after SIGTERM during which `/readyz` reports that the service is not ready while it still serves all requests, so that a load balancer switches to other replicas first. Must be longer than the load balancer needs to notice. SIGINT skips this phase.',
  ),
  GATEHOUSE_STOP_SECONDS: withDefault(integer(6, 3600), '9').describe(
    'Seconds that requests in flight have to finish once the service accepts no new ones; then the process exits anyway. Chat answers have five seconds less, then they are cut off with an error. Configure the stop timeout of your process manager to more than both settings together.',
  ),
  GATEHOUSE_LOG_LEVEL: withDefault(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ).describe('Minimum level of log lines. No level contains tokens, keys or event data.'),
  GATEHOUSE_TRUSTED_PROXIES: withDefault(networks, '', 'none').describe(
    "Proxies whose `X-Forwarded-For` is trusted. List only your own: a listed proxy can claim any client's address.",
  ),
  GATEHOUSE_RATE_LIMIT_SIGN_IN: withDefault(integer(0, 1_000_000), '20').describe(
    'Sign-ins per minute and client address. `0`: no limit, which allows guessing passwords.',
  ),
  GATEHOUSE_RATE_LIMIT_EXCHANGE: withDefault(integer(0, 1_000_000), '600').describe(
    'Exchanges of access links per minute and client address. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_CHAT: withDefault(integer(0, 1_000_000), '20').describe(
    'Questions per minute and person: per `sub` across links or, if the link has none, per client address. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: optional(
    integer(0, 1_000_000),
    'three times `GATEHOUSE_RATE_LIMIT_CHAT`',
  ).describe('Questions per minute and link, of all people together. `0`: no limit.'),
  GATEHOUSE_DELIVERY_ALLOW: withDefault(networks, '', 'none').describe(
    'Private addresses to which subscriptions may send events. Everyone who may edit a space can then send requests to the services on them.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENTS_KEY: withDefault(integer(0, 1_000_000_000), '0').describe(
    'Events per second and API key, with bursts of up to one second’s worth. Rejected and duplicate events count too. Beyond the limit the response is 429 with `Retry-After`. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENT_BYTES_KEY: withDefault(integer(0, 1_000_000_000_000), '0').describe(
    'Bytes of events per second and API key, uncompressed. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENTS_SPACE: withDefault(integer(0, 1_000_000_000), '0').describe(
    'Events per second and space, of all senders together. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENT_BYTES_SPACE: withDefault(integer(0, 1_000_000_000_000), '0').describe(
    'Bytes of events per second and space, uncompressed. `0`: no limit.',
  ),
  GATEHOUSE_CONNECTIONS_HELD_BYTES: bytes(16, 65_536, 256).describe(
    'Maximum bytes of incomplete requests and unread responses over all connections. Beyond it the oldest are closed.',
  ),
  GATEHOUSE_EVENTS_QUEUE_BYTES: bytes(8, 16_384, 64).describe(
    'Maximum bytes of event requests that wait for the disk; one space may use three quarters. Beyond it the response is 503 with `Retry-After`.',
  ),
  GATEHOUSE_EVENTS_MAX_AGE_DAYS: optional(
    integer(1, 36_500),
    'events are kept as long as their space',
  ).describe(
    'Days after which events are removed, in spaces without a retention of their own (`eventRetention`). Events that a subscription or a sink has not processed stay up to seven days longer. Removed events are still recognised as duplicates.',
  ),
  GATEHOUSE_EVENTS_MAX_BYTES: optional(integer(MIB, 100_000_000 * MIB), 'no limit').describe(
    'Maximum bytes that the stored events of one space take, in spaces without a retention of their own; the oldest are removed first. Events that a subscription or a sink has not processed stay up to seven days longer.',
  ),
  GATEHOUSE_EVENTS_LISTENERS: withDefault(integer(0, 1_000_000), '10000').describe(
    'Maximum open event streams (`GET /events/stream`) per process. Beyond it the response is 503 with `Retry-After`. Each stream takes a connection and thus a file descriptor.',
  ),
  GATEHOUSE_EVENTS_LISTENERS_SPACE: withDefault(integer(0, 1_000_000), '5000').describe(
    'Maximum open event streams per space. Beyond it the response is 429 with `Retry-After`.',
  ),
  GATEHOUSE_NATS_URL: optional(natsServers, 'events are not sent to NATS').describe(
    'NATS servers to which every accepted event is sent, into an existing JetStream stream. `tls://` requires TLS.',
  ),
  GATEHOUSE_NATS_SUBJECT: withDefault(natsSubject, 'gatehouse.{spaceId}.events').describe(
    'NATS subject of each event. The value of a placeholder becomes one token; unsafe characters are escaped, such as `%2E`.',
  ),
  GATEHOUSE_NATS_USER: optional(credential, 'none is sent').describe(
    'User name for the NATS servers. Requires the password too.',
  ),
  GATEHOUSE_NATS_PASSWORD: optional(secret(credential), 'none is sent').describe(
    'Password for the NATS servers. Requires the user name too.',
  ),
  GATEHOUSE_NATS_TOKEN: optional(secret(credential), 'none is sent').describe(
    'Token for the NATS servers, instead of a user name.',
  ),
  GATEHOUSE_NATS_CREDENTIALS_FILE: optional(path, 'none is used').describe(
    'File with a JWT and the seed of an nkey, as `nsc` writes it, instead of a user name.',
  ),
  GATEHOUSE_KAFKA_BROKERS: optional(kafkaBrokers, 'events are not sent to Kafka').describe(
    'Kafka brokers to which every accepted event is sent, into an existing topic. The other brokers of the cluster are discovered from them.',
  ),
  GATEHOUSE_KAFKA_TOPIC: withDefault(kafkaTopic, 'gatehouse.events').describe(
    'Kafka topic of each event.',
  ),
  GATEHOUSE_KAFKA_KEY: withDefault(oneOf('subject', 'event'), 'subject').describe(
    'Key of each Kafka record. `subject`: space, source and subject, so that events about one subject stay in order. `event`: space, source and id, so that keys are unique and a compacted topic keeps all events, in no particular order.',
  ),
  GATEHOUSE_KAFKA_TLS: withDefault(oneOf('on', 'off'), 'off').describe(
    'Whether to connect to the brokers over TLS.',
  ),
  GATEHOUSE_KAFKA_SASL: optional(
    oneOf('plain', 'scram-sha-256', 'scram-sha-512'),
    'no authentication',
  ).describe(
    'SASL mechanism for user name and password. `plain` sends the password unencrypted: use it only with TLS.',
  ),
  GATEHOUSE_KAFKA_USER: optional(credential, 'none is sent').describe(
    'User name for the Kafka brokers.',
  ),
  GATEHOUSE_KAFKA_PASSWORD: optional(secret(credential), 'none is sent').describe(
    'Password for the Kafka brokers.',
  ),
  GATEHOUSE_SINKS_START: withDefault(oneOf('newest', 'beginning'), 'newest').describe(
    'Where a sink (NATS or Kafka) starts when it is configured for the first time: with newly accepted events, or with all stored events. Afterwards it continues from its position.',
  ),
  GATEHOUSE_SINKS_TOO_LARGE: withDefault(oneOf('hold', 'skip'), 'hold').describe(
    'What to do with an event that is larger than the broker accepts. `hold`: retry, and hold back the events of its space until the broker accepts it. `skip`: leave it out and report it in the log and in `/metrics`.',
  ),
} as const;

function bytes(minMib: number, maxMib: number, mib: number) {
  const [min, max, value] = [minMib * MIB, maxMib * MIB, mib * MIB] as const;
  return withDefault(integer(min, max), `${value}`, `\`${value}\` (${mib} MiB)`);
}
