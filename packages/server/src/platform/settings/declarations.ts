import { databaseUrl, email, password } from './account-kinds.ts';
import { endpoint, host, networks, origin } from './address-kinds.ts';
import { declare } from './declaration.ts';
import { directory, oneOf, optional, port, secret, wholeNumber } from './kinds.ts';
import { modelKey, modelName, price } from './model-kinds.ts';
import { installationSecret, MAKE_SECRET } from './secret-kind.ts';
import { sinkDeclarations } from './sink-declarations.ts';

const MIB = 1024 * 1024;

/** Every setting there is, in the order of the documentation. `docs/configuration.md` is generated from it. */
export const declarations = {
  host: declare({
    variable: 'GATEHOUSE_HOST',
    words:
      'Address to listen on. `0.0.0.0` or `::` listens on all; put a proxy that speaks TLS in front.',
    kind: host,
    default: '127.0.0.1',
  }),
  port: declare({
    variable: 'GATEHOUSE_PORT',
    words: 'TCP port to listen on. `0` takes any free one; the log says which.',
    kind: port,
    default: '8080',
  }),
  baseUrl: declare({
    variable: 'GATEHOUSE_BASE_URL',
    words:
      'Address under which people and browsers reach the service. The URLs of access links begin with it.',
    kind: optional(origin),
    default: null,
    defaultWords: '`http://` with the host and port listened on',
  }),
  dataDir: declare({
    variable: 'GATEHOUSE_DATA_DIR',
    words:
      'Directory of the database and the keys, made at the first start. One running service only. Back it up whole.',
    kind: directory,
    default: './data',
  }),
  databaseUrl: declare({
    variable: 'GATEHOUSE_DATABASE_URL',
    words:
      'PostgreSQL database (13 or later) to use instead of SQLite. Several services may use one.',
    kind: optional(secret(databaseUrl)),
    default: null,
    defaultWords: 'SQLite in the data directory',
  }),
  databaseConnections: declare({
    variable: 'GATEHOUSE_DATABASE_CONNECTIONS',
    words:
      'Connections to PostgreSQL that one service opens at most, beside two that it keeps for news.',
    kind: wholeNumber(4, 1000),
    default: '10',
  }),
  secret: declare({
    variable: 'GATEHOUSE_SECRET',
    words:
      'The secret of the installation, from which its keys are derived: what is encrypted in the database is lost without it, so keep a copy apart from the backups of the database. The same for all replicas. Needed with `GATEHOUSE_DATABASE_URL`.',
    kind: optional(secret(installationSecret)),
    default: null,
    defaultWords: 'with SQLite, one is made and kept in the data directory (`keys/secret`)',
    advice: `make one with: ${MAKE_SECRET}, and give the same to all replicas`,
  }),
  adminEmail: declare({
    variable: 'GATEHOUSE_ADMIN_EMAIL',
    words:
      'E-mail address of the first administrator, used while no user exists. Needs the password too.',
    kind: optional(email),
    default: null,
    defaultWords: 'one is made and its password printed once',
  }),
  adminPassword: declare({
    variable: 'GATEHOUSE_ADMIN_PASSWORD',
    words:
      'Password of the first administrator, used while no user exists. Needs the e-mail address too.',
    kind: optional(secret(password)),
    default: null,
    defaultWords: 'one is made and printed once',
  }),
  modelUrl: declare({
    variable: 'GATEHOUSE_MODEL_URL',
    words:
      'An API of models that speaks as OpenAI does, such as `https://api.example/v1`. What a model works on is sent to it.',
    kind: optional(endpoint),
    default: null,
    defaultWords: 'no model is used',
  }),
  modelKey: declare({
    variable: 'GATEHOUSE_MODEL_KEY',
    words: 'Key of that API, sent as `Authorization: Bearer`.',
    kind: optional(secret(modelKey)),
    default: null,
    defaultWords: 'none is sent',
  }),
  modelName: declare({
    variable: 'GATEHOUSE_MODEL_NAME',
    words:
      'Name of the model that answers in chats where a bot names none. Questions, what was said before and passages of documents are sent to `GATEHOUSE_MODEL_URL`.',
    kind: optional(modelName),
    default: null,
    defaultWords: 'documents are quoted, unless a bot names a model',
  }),
  modelPriceInput: declare({
    variable: 'GATEHOUSE_MODEL_PRICE_INPUT',
    words:
      'Price of a million tokens that a model reads for an answer, in any currency. What each answer cost is then kept with it, and counted in `/metrics`. One price for all models that answer. Needs the price of what it writes too.',
    kind: optional(price),
    default: null,
    defaultWords: 'no cost is recorded',
  }),
  modelPriceOutput: declare({
    variable: 'GATEHOUSE_MODEL_PRICE_OUTPUT',
    words:
      'Price of a million tokens that it writes, in the same currency. Needs the price of what it reads too.',
    kind: optional(price),
    default: null,
    defaultWords: 'no cost is recorded',
  }),
  embeddingModel: declare({
    variable: 'GATEHOUSE_EMBEDDING_MODEL',
    words:
      'Name of the model by which search also finds passages that say the same in other words. The texts of documents and queries are sent to `GATEHOUSE_MODEL_URL`. Another name has all vectors made anew.',
    kind: optional(modelName),
    default: null,
    defaultWords: 'search is by words alone',
  }),
  drainSeconds: declare({
    variable: 'GATEHOUSE_DRAIN_SECONDS',
    words:
      'Seconds after SIGTERM in which the service says at `/readyz` that it is not ready and still serves whoever comes, so that a load balancer turns to other replicas first. Longer than that one takes to notice. SIGINT does without.',
    kind: optional(wholeNumber(0, 3600)),
    default: null,
    defaultWords: '`0` with SQLite, `5` with PostgreSQL',
  }),
  stopSeconds: declare({
    variable: 'GATEHOUSE_STOP_SECONDS',
    words:
      'Seconds that requests under way have once no new ones are taken; then the process ends anyway. Answers of a chat have five less, then they break off and say so. What stops the process must wait for both settings together.',
    kind: wholeNumber(6, 3600),
    default: '9',
  }),
  logLevel: declare({
    variable: 'GATEHOUSE_LOG_LEVEL',
    words:
      'Least important log lines that are written. No level writes tokens, keys or event data.',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
  }),
  trustedProxies: declare({
    variable: 'GATEHOUSE_TRUSTED_PROXIES',
    words:
      "Proxies whose `X-Forwarded-For` is believed. Name yours alone: whoever is named can claim any client's address.",
    kind: networks,
    default: '',
    defaultWords: 'none',
  }),
  rateLimitSignIn: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_SIGN_IN',
    words:
      'Sign-ins a minute from one address. `0`: no limit, so that passwords can be guessed freely.',
    kind: wholeNumber(0, 1_000_000),
    default: '20',
  }),
  rateLimitExchange: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_EXCHANGE',
    words: 'Exchanges of access links a minute from one address. `0`: no limit.',
    kind: wholeNumber(0, 1_000_000),
    default: '600',
  }),
  rateLimitChat: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_CHAT',
    words:
      'Questions a minute of one person: of a `sub`, under whichever link, or, where a link names none, of an address that uses it. `0`: no limit.',
    kind: wholeNumber(0, 1_000_000),
    default: '20',
  }),
  rateLimitChatLink: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_CHAT_LINK',
    words: 'Questions a minute behind one link, whoever asks. `0`: no limit.',
    kind: optional(wholeNumber(0, 1_000_000)),
    default: null,
    defaultWords: 'three times `GATEHOUSE_RATE_LIMIT_CHAT`',
  }),
  deliveryAllow: declare({
    variable: 'GATEHOUSE_DELIVERY_ALLOW',
    words:
      'Addresses that subscriptions may send events to although they are not public. Whoever may edit a space can then send requests to what listens there.',
    kind: networks,
    default: '',
    defaultWords: 'none',
  }),
  rateLimitEventsKey: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_EVENTS_KEY',
    words:
      'Events a second that one API key may send, a second’s worth at once; those that are refused or known count too. Beyond it the answer is 429 with `Retry-After`. `0`: no limit.',
    kind: wholeNumber(0, 1_000_000_000),
    default: '0',
  }),
  rateLimitEventBytesKey: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_EVENT_BYTES_KEY',
    words: 'Bytes of events a second that one API key may send, unpacked. `0`: no limit.',
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '0',
  }),
  rateLimitEventsSpace: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_EVENTS_SPACE',
    words: 'Events a second that one space takes, whoever sends them. `0`: no limit.',
    kind: wholeNumber(0, 1_000_000_000),
    default: '0',
  }),
  rateLimitEventBytesSpace: declare({
    variable: 'GATEHOUSE_RATE_LIMIT_EVENT_BYTES_SPACE',
    words: 'Bytes of events a second that one space takes, unpacked. `0`: no limit.',
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '0',
  }),
  connectionsHeldBytes: declare({
    variable: 'GATEHOUSE_CONNECTIONS_HELD_BYTES',
    words:
      'Bytes of requests that are still arriving and of answers that are not read yet, of all connections together. Beyond it those under way for longest are cut off.',
    kind: wholeNumber(16 * MIB, 64 * 1024 * MIB),
    default: String(256 * MIB),
    defaultWords: `\`${256 * MIB}\` (256 MiB)`,
  }),
  eventsQueueBytes: declare({
    variable: 'GATEHOUSE_EVENTS_QUEUE_BYTES',
    words:
      'Bytes of event requests that may wait for the disk, of which one space may take three quarters. Beyond it the answer is 503 with `Retry-After`.',
    kind: wholeNumber(8 * MIB, 16 * 1024 * MIB),
    default: String(64 * MIB),
    defaultWords: `\`${64 * MIB}\` (64 MiB)`,
  }),
  eventsMaxAgeDays: declare({
    variable: 'GATEHOUSE_EVENTS_MAX_AGE_DAYS',
    words:
      'Days after which events are removed, in spaces that do not say it themselves (`eventRetention`). Up to seven days later where a subscription or a sink has not got to them. An event that is sent again is known even so.',
    kind: optional(wholeNumber(1, 36_500)),
    default: null,
    defaultWords: 'events are kept as long as their space',
  }),
  eventsMaxBytes: declare({
    variable: 'GATEHOUSE_EVENTS_MAX_BYTES',
    words:
      'Bytes that the texts of events of one space take in the store, at most, in spaces that do not say it themselves; the oldest are removed. The same holds of readers.',
    kind: optional(wholeNumber(MIB, 100_000_000 * MIB)),
    default: null,
    defaultWords: 'there is no limit',
  }),
  eventsListeners: declare({
    variable: 'GATEHOUSE_EVENTS_LISTENERS',
    words:
      'Streams of events (`GET /events/stream`) that one process may have open at once. Beyond it the answer is 503 with `Retry-After`. Each takes a connection, and so a file descriptor.',
    kind: wholeNumber(0, 1_000_000),
    default: '10000',
  }),
  eventsListenersSpace: declare({
    variable: 'GATEHOUSE_EVENTS_LISTENERS_SPACE',
    words: 'The same of one space. Beyond it the answer is 429 with `Retry-After`.',
    kind: wholeNumber(0, 1_000_000),
    default: '5000',
  }),
  ...sinkDeclarations,
} as const;
