import { models } from './model-schemas.ts';
import {
  credential,
  databaseUrl,
  email,
  endpoint,
  headerValue,
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
  ratio,
  secret,
  uuid,
  withDefault,
} from './schemas.ts';
import {
  claimName,
  clientId,
  domains,
  groupRoles,
  groups,
  issuer,
  scopes,
} from './single-sign-on-schemas.ts';

const MIB = 1024 * 1024;

/** All settings, in the order of docs/configuration.md, which is generated from this table. */
export const table = {
  GATEHOUSE_HOST: withDefault(host, '127.0.0.1').describe(
    'Address to listen on. `0.0.0.0` or `::` listens on all addresses. Run a TLS-terminating proxy in front of the service.',
  ),
  GATEHOUSE_PORT: withDefault(port, '8080').describe(
    'TCP port to listen on. `0` selects a free port; the log contains its number.',
  ),
  GATEHOUSE_BASE_URL: optional(
    origin,
    '`http://` followed by the host and port on which the service listens',
  ).describe(
    'URL at which users reach the service with their browsers. Access links start with this URL.',
  ),
  GATEHOUSE_DATA_DIR: withDefault(path, './data').describe(
    'Directory of the database and the keys, created at the first start. Only one running service may use it. Back it up with `npm run gatehouse -- backup`.',
  ),
  GATEHOUSE_DATABASE_URL: optional(secret(databaseUrl), 'SQLite in the data directory').describe(
    'PostgreSQL database (13 or later) to use instead of SQLite. Several replicas may share one database. Append `?sslmode=verify-full` for TLS, and `&sslrootcert=<file>` with the certificate of a private CA.',
  ),
  GATEHOUSE_DATABASE_CONNECTIONS: withDefault(integer(4, 1000), '10').describe(
    'Maximum connections to PostgreSQL per replica, in addition to up to five for leases, notifications, keyword search, vector search and costly filters.',
  ),
  GATEHOUSE_SECRET: optional(
    secret(installationSecret),
    'with SQLite, generated and stored in the data directory (`keys/secret`)',
  ).describe(
    'The secret of the installation, from which its encryption keys are derived. Without the secret, the encrypted data in the database is lost, so store a copy in a separate place. All replicas need the same secret. Required with `GATEHOUSE_DATABASE_URL`.',
  ),
  GATEHOUSE_ADMIN_EMAIL: optional(email, 'a setup link creates the first administrator').describe(
    'Email address of the first administrator, used only while no user exists. Requires `GATEHOUSE_ADMIN_PASSWORD`.',
  ),
  GATEHOUSE_ADMIN_PASSWORD: optional(
    secret(password),
    'a setup link creates the first administrator',
  ).describe(
    'Password of the first administrator, used only while no user exists. Requires `GATEHOUSE_ADMIN_EMAIL`.',
  ),
  GATEHOUSE_PASSWORD_SIGN_IN: withDefault(oneOf('on', 'off'), 'on').describe(
    '`off`: users cannot sign in with a password. Requires `GATEHOUSE_OIDC_ISSUER`.',
  ),
  GATEHOUSE_OIDC_ISSUER: optional(issuer, 'single sign-on is off').describe(
    'Issuer of the OpenID provider at which users sign in. The provider must allow the redirect URI `{GATEHOUSE_BASE_URL}/auth/sso/callback`. Requires `GATEHOUSE_OIDC_CLIENT_ID`, `GATEHOUSE_OIDC_CLIENT_SECRET`, and `GATEHOUSE_OIDC_ALLOWED_DOMAINS` or `GATEHOUSE_OIDC_ALLOWED_GROUPS`.',
  ),
  GATEHOUSE_OIDC_CLIENT_ID: optional(clientId, 'none is sent').describe(
    'ID with which this service is registered at the OpenID provider.',
  ),
  GATEHOUSE_OIDC_CLIENT_SECRET: optional(secret(credential), 'none is sent').describe(
    'Client secret for the OpenID provider.',
  ),
  GATEHOUSE_OIDC_SCOPES: withDefault(scopes, 'openid email profile').describe(
    'Scopes to request from the OpenID provider. Some providers send groups only if you add a scope such as `groups`.',
  ),
  GATEHOUSE_OIDC_ALLOWED_DOMAINS: optional(domains, 'every domain').describe(
    'Domains of the verified email addresses that may sign in. A domain does not include its subdomains. If `GATEHOUSE_OIDC_ALLOWED_GROUPS` is set too, a user must meet both conditions.',
  ),
  GATEHOUSE_OIDC_ALLOWED_GROUPS: optional(groups, 'every group').describe(
    'Groups whose members may sign in. Membership in one of them is sufficient.',
  ),
  GATEHOUSE_OIDC_ADMIN_GROUPS: optional(groups, 'none').describe(
    'Groups whose members are administrators. Updated at each sign-in.',
  ),
  GATEHOUSE_OIDC_GROUP_ROLES: optional(groupRoles, 'none').describe(
    'Roles on bots that members of groups have, such as `{"support":{"12":"editor"}}`. Updated at each sign-in. Roles that an owner assigned remain.',
  ),
  GATEHOUSE_OIDC_GROUPS_CLAIM: withDefault(claimName, 'groups').describe(
    'Name of the claim with the groups of a user, in the ID token or in the response of the userinfo endpoint.',
  ),
  GATEHOUSE_MODEL_URL: optional(endpoint, 'no model is used').describe(
    'Base URL of an OpenAI-compatible API, such as `https://api.example/v1`. All input of the models is sent to this API.',
  ),
  GATEHOUSE_MODEL_KEY: optional(secret(modelKey), 'none is sent').describe(
    'API key for `GATEHOUSE_MODEL_URL`, sent as `Authorization: Bearer`.',
  ),
  GATEHOUSE_MODEL_NAME: optional(
    modelName,
    'answers quote the documents, unless the bot names a model',
  ).describe(
    'Model that answers chat questions if the bot does not name a model. Questions, earlier turns and passages of documents are sent to `GATEHOUSE_MODEL_URL`.',
  ),
  GATEHOUSE_MODELS: optional(secret(models), 'all models use `GATEHOUSE_MODEL_URL`').describe(
    'Models with their own URL, key and prices. Bots, `GATEHOUSE_MODEL_NAME` and `GATEHOUSE_MODEL_FALLBACK` refer to them by name. All other names refer to models of `GATEHOUSE_MODEL_URL`.',
  ),
  GATEHOUSE_MODEL_FALLBACK: optional(modelName, 'the answer fails').describe(
    'Model that answers if another model is unreachable or overloaded, fails, or rejects the request. If the model is unreachable, overloaded or failing, the fallback is asked first for 30 seconds.',
  ),
  GATEHOUSE_MODEL_PRICE_INPUT: optional(price, 'no cost is recorded').describe(
    'Price of a million input tokens, in any currency. The cost of each answer is stored with the answer and counted in `/metrics`. The price applies to the models of `GATEHOUSE_MODEL_URL`. Requires `GATEHOUSE_MODEL_PRICE_OUTPUT`.',
  ),
  GATEHOUSE_MODEL_PRICE_OUTPUT: optional(price, 'no cost is recorded').describe(
    'Price of a million output tokens, in the same currency. Requires `GATEHOUSE_MODEL_PRICE_INPUT`.',
  ),
  GATEHOUSE_EMBEDDING_MODEL: optional(modelName, 'search matches only words').describe(
    'Embedding model. With an embedding model, search also finds passages that say the same thing in different words. The texts of documents and queries are sent to `GATEHOUSE_MODEL_URL`. If you change the model, all vectors are computed again.',
  ),
  GATEHOUSE_DRAIN_SECONDS: optional(
    integer(0, 3600),
    '`0` with SQLite, `5` with PostgreSQL',
  ).describe(
    'Seconds after SIGTERM during which `/readyz` returns 503 but all requests are still served, so that the load balancer can switch to other replicas. Must be longer than the load balancer takes to detect the change. SIGINT skips this phase.',
  ),
  GATEHOUSE_STOP_SECONDS: withDefault(integer(6, 3600), '9').describe(
    'Maximum seconds for requests in flight to finish after the service stops accepting new requests. After this time, the process exits anyway. A request whose body is still arriving is cut off after three seconds. Chat answers in progress are cut off with an error five seconds before the end of this time; with `125`, all answers can finish. Set the stop timeout of your process manager to more than the sum of this setting and `GATEHOUSE_DRAIN_SECONDS`.',
  ),
  GATEHOUSE_LOG_LEVEL: withDefault(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ).describe('Minimum level of log lines. No log line contains tokens, keys or event data.'),
  GATEHOUSE_LOG_FORMAT: withDefault(oneOf('auto', 'json', 'text'), 'auto').describe(
    'Format of the log. `json`: one JSON object per line. `text`: readable lines with the local time. `auto`: `text` if standard output is a terminal, otherwise `json`. Text is coloured on a terminal, unless `NO_COLOR` is set.',
  ),
  GATEHOUSE_TRACES_URL: optional(endpoint, 'no traces are recorded').describe(
    'URL to which traces are sent as OTLP over HTTP in JSON, such as `http://collector:4318/v1/traces`. Spans contain paths of operations, statuses, durations, counts, IDs of requests and spaces, and SQL without values. They contain no URLs, credentials, event data or texts of users.',
  ),
  GATEHOUSE_TRACES_AUTHORIZATION: optional(secret(headerValue), 'none is sent').describe(
    'Value of the `Authorization` header for `GATEHOUSE_TRACES_URL`, such as `Bearer …`.',
  ),
  GATEHOUSE_TRACES_RATIO: withDefault(ratio, '1').describe(
    'Share of the traces to record, from 0 to 1. It also applies to requests whose `traceparent` header is marked as sampled.',
  ),
  GATEHOUSE_TRUSTED_PROXIES: withDefault(networks, '', 'none').describe(
    "Proxies whose `X-Forwarded-For` is trusted. List only your own: a listed proxy can claim any client's address.",
  ),
  GATEHOUSE_RATE_LIMIT_SIGN_IN: withDefault(integer(0, 1_000_000), '20').describe(
    'Maximum sign-ins per client address per minute, through the API and in the console together. The same limit applies to redemptions of one-time links, to password changes and to each route of single sign-on, each with its own count. `0`: no limit; then only the [limit per account](guides/accounts.md#failed-sign-ins) prevents brute-force attacks on passwords.',
  ),
  GATEHOUSE_RATE_LIMIT_EXCHANGE: withDefault(integer(0, 1_000_000), '600').describe(
    'Maximum exchanges of access links per client address per minute. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_CHAT: withDefault(integer(0, 1_000_000), '20').describe(
    'Maximum questions per person per minute. A person is identified by the `sub` of the link, across all links, or by the client address if the link has no `sub`. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: optional(
    integer(0, 1_000_000),
    'three times `GATEHOUSE_RATE_LIMIT_CHAT`',
  ).describe('Maximum questions per link per minute, for all people together. `0`: no limit.'),
  GATEHOUSE_RATE_LIMIT_READS_LINK: withDefault(integer(0, 1_000_000), '120').describe(
    'Maximum searches and reads per link per minute, for all of its widget sessions together. Reads are requests for documents, passages and conversations. Questions and the searches for their answers do not count. `0`: no limit.',
  ),
  GATEHOUSE_IDEMPOTENCY_KEYS: withDefault(integer(0, 100_000_000), '200000').describe(
    'Maximum responses per user and per API key that are stored for requests with an `Idempotency-Key`. A response is stored for 24 hours and takes about 1 kB. A link that an API key creates without a `botId` needs no stored response. Above the limit, requests with a new `Idempotency-Key` get 429. `0`: no limit.',
  ),
  GATEHOUSE_AUDIT_DAYS: withDefault(integer(0, 36_500), '365').describe(
    'Days for which entries of the audit are kept. `0`: permanently.',
  ),
  GATEHOUSE_CONVERSATION_DAYS: withDefault(integer(0, 36_500), '0').describe(
    'Days after the last message for which a conversation is kept, with its answers and feedback. `0`: permanently.',
  ),
  GATEHOUSE_RECORDS_PROJECTION: withDefault(integer(1, 10_000_000), '100000').describe(
    'Maximum records per projection, including records that were deleted by events. When a projection has reached the limit, events with other keys are ignored (`isFull`).',
  ),
  GATEHOUSE_ATTACHMENTS_CONVERSATION: withDefault(integer(0, 100), '10').describe(
    'Maximum files that a person can attach in one conversation. `0`: the chat accepts no attachments.',
  ),
  GATEHOUSE_ATTACHMENTS_LINK: withDefault(integer(1, 1_000_000), '1000').describe(
    'Maximum stored attachments per link, for all of its conversations together.',
  ),
  GATEHOUSE_ATTACHMENT_BYTES: withDefault(integer(1024, 26_214_400), '10485760').describe(
    'Maximum size of an attachment in bytes. The text of an attachment may also have at most 200,000 characters.',
  ),
  GATEHOUSE_RATE_LIMIT_ATTACHMENTS: withDefault(integer(0, 1_000_000), '10').describe(
    'Maximum attachments per person per minute. Persons are identified as for `GATEHOUSE_RATE_LIMIT_CHAT`. Three times as many are permitted per link. `0`: no limit.',
  ),
  GATEHOUSE_AUDIT_SPACE: optional(uuid, 'the audit is not sent').describe(
    'Space whose event log receives each new audit entry of the whole installation as an event (`gatehouse.audit.*`). Everybody who may read the events of this space can then read the audit.',
  ),
  GATEHOUSE_SEARCH_TIME_LINK: withDefault(integer(0, 1_000_000), '250').describe(
    'Time that the searches and reads of a link may use on the search threads of each replica, in milliseconds per second. Unused time accumulates for up to ten seconds. Searches for answers also count. A link that has used up its time gets 429 with `Retry-After`. `0`: no limit.',
  ),
  GATEHOUSE_SEARCH_TIME_CALLER: withDefault(integer(0, 1_000_000), '0').describe(
    'The same limit as `GATEHOUSE_SEARCH_TIME_LINK`, for each API key and each user. `0`: no limit.',
  ),
  GATEHOUSE_SEARCH_WAIT_SECONDS: withDefault(integer(1, 600), '2').describe(
    'Maximum seconds that a search or read of documents waits for its turn. After that, the response is 503 with `Retry-After` and the reason.',
  ),
  GATEHOUSE_DELIVERY_ALLOW: withDefault(networks, '', 'none').describe(
    'Private addresses to which subscriptions and tools may send requests, and from which crawls may read. Everyone who may edit a space can then send requests to services at these addresses and read the first kilobyte of each response.',
  ),
  GATEHOUSE_DELIVERIES_MAX_AGE_DAYS: withDefault(integer(0, 3650), '7').describe(
    'Days after which successful deliveries are removed. `0`: successful deliveries are not stored. Each subscription retains at most 10,000 successful deliveries.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENTS_KEY: withDefault(integer(0, 1_000_000_000), '0').describe(
    'Maximum events per API key per second. A token bucket that holds one second of events enforces the limit. A request is accepted unless the bucket is empty, even if the request contains more events than the bucket holds. Later requests are then rejected until the bucket is no longer empty. Rejected and duplicate events count too. Above the limit, the response is 429 with `Retry-After`. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENT_BYTES_KEY: withDefault(integer(0, 1_000_000_000_000), '0').describe(
    'Maximum uncompressed bytes of events per API key per second. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENTS_SPACE: withDefault(integer(0, 1_000_000_000), '0').describe(
    'Maximum events per space per second, for all senders together. `0`: no limit.',
  ),
  GATEHOUSE_RATE_LIMIT_EVENT_BYTES_SPACE: withDefault(integer(0, 1_000_000_000_000), '0').describe(
    'Maximum uncompressed bytes of events per space per second, for all senders together. `0`: no limit.',
  ),
  GATEHOUSE_CONNECTIONS_HELD_BYTES: bytes(16, 65_536, 256).describe(
    'Maximum bytes of incomplete requests and unread responses over all connections. Above this limit, the connections with the oldest requests are closed.',
  ),
  GATEHOUSE_EVENTS_QUEUE_BYTES: bytes(8, 16_384, 64).describe(
    'Maximum bytes of event requests in the write queue. One space may use three quarters of the queue. If the queue is full, the response is 503 with `Retry-After`.',
  ),
  GATEHOUSE_EVENTS_MAX_AGE_DAYS: optional(
    integer(1, 36_500),
    'events are kept as long as their space',
  ).describe(
    'Days after which events are removed, in spaces that do not set `eventRetention.maxAgeDays`. Events that a subscription or a sink has not processed stay up to seven days longer. Removed events are still recognised as duplicates.',
  ),
  GATEHOUSE_EVENTS_MAX_BYTES: optional(integer(MIB, 100_000_000 * MIB), 'no limit').describe(
    'Maximum bytes of stored events per space, in spaces that do not set `eventRetention.maxBytes`. The oldest events are removed first. Events that a subscription or a sink has not processed stay up to seven days longer.',
  ),
  GATEHOUSE_REJECTED_EVENTS_MAX_AGE_DAYS: withDefault(integer(0, 3650), '7').describe(
    'Days after which the entries of `GET /spaces/{spaceId}/rejected-events` are removed. `0`: rejected events are not recorded. Each space retains at most 5,000 entries.',
  ),
  GATEHOUSE_EVENTS_LISTENERS: withDefault(integer(0, 1_000_000), '10000').describe(
    'Maximum open event streams (`GET /events/stream`) per replica. Above this limit, the response is 503 with `Retry-After`. Each stream uses a connection and therefore a file descriptor.',
  ),
  GATEHOUSE_EVENTS_LISTENERS_SPACE: withDefault(integer(0, 1_000_000), '5000').describe(
    'Maximum open event streams per space on each replica. Above this limit, the response is 429 with `Retry-After`.',
  ),
  GATEHOUSE_NATS_URL: optional(natsServers, 'events are not sent to NATS').describe(
    'NATS servers to which every accepted event is published. The JetStream stream must already exist. `tls://` requires TLS.',
  ),
  GATEHOUSE_NATS_SUBJECT: withDefault(natsSubject, 'gatehouse.{spaceId}.events').describe(
    'NATS subject of each event. The value of a placeholder becomes one token. Unsafe characters are percent-encoded; a dot becomes `%2E`.',
  ),
  GATEHOUSE_NATS_USER: optional(credential, 'none is sent').describe(
    'User name for the NATS servers. Requires `GATEHOUSE_NATS_PASSWORD`.',
  ),
  GATEHOUSE_NATS_PASSWORD: optional(secret(credential), 'none is sent').describe(
    'Password for the NATS servers. Requires `GATEHOUSE_NATS_USER`.',
  ),
  GATEHOUSE_NATS_TOKEN: optional(secret(credential), 'none is sent').describe(
    'Token for the NATS servers, instead of a user name.',
  ),
  GATEHOUSE_NATS_CREDENTIALS_FILE: optional(path, 'none is used').describe(
    'Credentials file written by `nsc`, with a JWT and the seed of an nkey. Replaces the user name.',
  ),
  GATEHOUSE_KAFKA_BROKERS: optional(kafkaBrokers, 'events are not sent to Kafka').describe(
    'Kafka brokers to which every accepted event is published. The topic must already exist. The other brokers of the cluster are discovered automatically.',
  ),
  GATEHOUSE_KAFKA_TOPIC: withDefault(kafkaTopic, 'gatehouse.events').describe(
    'Kafka topic of each event.',
  ),
  GATEHOUSE_KAFKA_KEY: withDefault(oneOf('subject', 'event'), 'subject').describe(
    'Key of each Kafka record. `subject`: space, `source` and `subject`, which keeps events of one subject in order. `event`: space, `source` and `id`, which makes keys unique. A compacted topic then retains all events, but their order is not guaranteed.',
  ),
  GATEHOUSE_KAFKA_TLS: withDefault(oneOf('on', 'off'), 'off').describe(
    '`on`: connect to the brokers over TLS.',
  ),
  GATEHOUSE_KAFKA_SASL: optional(
    oneOf('plain', 'scram-sha-256', 'scram-sha-512'),
    'no authentication',
  ).describe(
    'SASL mechanism for user name and password. `plain` sends the password unencrypted: use it only with TLS.',
  ),
  GATEHOUSE_KAFKA_USER: optional(credential, 'none is sent').describe(
    'User name for the Kafka brokers. Requires `GATEHOUSE_KAFKA_PASSWORD` and `GATEHOUSE_KAFKA_SASL`.',
  ),
  GATEHOUSE_KAFKA_PASSWORD: optional(secret(credential), 'none is sent').describe(
    'Password for the Kafka brokers. Requires `GATEHOUSE_KAFKA_USER`.',
  ),
  GATEHOUSE_SINKS_START: withDefault(oneOf('newest', 'beginning'), 'newest').describe(
    'Start position of a sink (NATS or Kafka) that is configured for the first time. `newest`: newly accepted events only. `beginning`: all stored events first. Later starts continue from the position of the sink.',
  ),
  GATEHOUSE_SINKS_TOO_LARGE: withDefault(oneOf('hold', 'skip'), 'hold').describe(
    'Handling of events that exceed the size limit of the broker. `hold`: retry the event, and hold back later events of its space until the broker accepts it. `skip`: skip the event, and report it in the log and in `/metrics`.',
  ),
} as const;

function bytes(minMib: number, maxMib: number, mib: number) {
  const [min, max, value] = [minMib * MIB, maxMib * MIB, mib * MIB] as const;
  return withDefault(integer(min, max), `${value}`, `\`${value}\` (${mib} MiB)`);
}
