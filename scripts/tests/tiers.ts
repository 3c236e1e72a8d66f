import { posix } from 'node:path';

/**
 * `unit`: pure code. `integration`: modules and ports on SQLite, in process. `system`: several processes, other
 * servers, a browser. A test is a unit test if its imports permit it (`sources.ts`), so only `SYSTEM` is listed here.
 */
export type Tier = 'unit' | 'integration' | 'system';

/** Tests that need other processes or servers. */
export const SYSTEM = [
  'packages/server/tests/**',
  'packages/server/src/storage/postgres/**',
  'packages/server/src/storage/sqlite/crashes/**',
  'packages/server/src/outbound/brokers/{kafka,nats}/index.test.ts',
  'packages/server/src/outbound/webhooks/dispatch/replicas.test.ts',
  'scripts/deploy/**',
  'scripts/test.test.ts',
];

/**
 * Tests that `npm test` runs a second time, on PostgreSQL, because they depend on what the storage does. A folder
 * stands for its tests that keep data in the engine of the run.
 */
export const ON_BOTH_ENGINES = [
  // Modules: everything that has a repository.
  'packages/server/src/{assistant,identity,knowledge,links,outbound,platform,streams}/**',
  'packages/server/src/storage/ports/**',
  // The service: what is stored, counted, leased, searched, removed or kept across restarts.
  'packages/server/tests/assistant/ask-the-assistant.test.ts',
  'packages/server/tests/assistant/chat-limits.test.ts',
  'packages/server/tests/assistant/continue-a-conversation.test.ts',
  'packages/server/tests/assistant/forbidden-in-conversations.test.ts',
  'packages/server/tests/assistant/keep-no-history.test.ts',
  'packages/server/tests/identity/**',
  'packages/server/tests/ingest/event-credentials.test.ts',
  'packages/server/tests/ingest/escaped-names.test.ts',
  'packages/server/tests/ingest/register-event-sources.test.ts',
  'packages/server/tests/ingest/send-events.test.ts',
  'packages/server/tests/knowledge/costly-filters.test.ts',
  'packages/server/tests/knowledge/crash-while-reading.test.ts',
  'packages/server/tests/knowledge/forbidden-by-meaning.test.ts',
  'packages/server/tests/knowledge/forbidden-knowledge.test.ts',
  'packages/server/tests/knowledge/keep-documents-in-step.test.ts',
  'packages/server/tests/knowledge/put-documents-in.test.ts',
  'packages/server/tests/knowledge/search-by-meaning.test.ts',
  'packages/server/tests/links/**',
  'packages/server/tests/outbound/deliver-events.test.ts',
  'packages/server/tests/outbound/kill-while-delivering.test.ts',
  'packages/server/tests/outbound/kill-with-all-consumers.test.ts',
  'packages/server/tests/outbound/park-deliveries.test.ts',
  'packages/server/tests/outbound/subscribe-to-events.test.ts',
  'packages/server/tests/platform/back-up-and-restore.test.ts',
  'packages/server/tests/platform/change-the-signing-key.test.ts',
  'packages/server/tests/platform/logs-hold-no-secret.test.ts',
  'packages/server/tests/platform/lost-secret.test.ts',
  'packages/server/tests/platform/stop-and-start.test.ts',
  'packages/server/tests/storage/kill-and-restart.test.ts',
  'packages/server/tests/streams/**',
];

/** Seeded campaigns: a sample of each runs in `npm test`, all of it in `npm run test:chaos`. */
export const CHAOS = [
  'packages/filter/tests/agreement.test.ts',
  'packages/server/src/ingest/formats/choose-format.test.ts',
  'packages/server/src/outbound/webhooks/dispatch/{dispatcher,replicas}.test.ts',
  'packages/server/src/storage/sqlite/crashes/kill.test.ts',
  'packages/server/tests/assistant/forbidden-in-conversations.test.ts',
  'packages/server/tests/ingest/mutated-events.test.ts',
  'packages/server/tests/knowledge/{crash-while-reading,forbidden-by-meaning,forbidden-knowledge}.test.ts',
  'packages/server/tests/outbound/kill-while-delivering.test.ts',
  'packages/server/tests/outbound/kill-with-all-consumers.test.ts',
  'packages/server/tests/outbound/send-events-to-{kafka,nats}.test.ts',
  'packages/server/tests/platform/one-machine-to-many.test.ts',
  'packages/server/tests/storage/{faults,kill-and-restart,power-cuts,replicas-take-over}.test.ts',
  'packages/widget/frame/markdown/**',
  'packages/server/src/knowledge/parsers/passages/**',
  'scripts/deploy/image.test.ts',
];

/** The files that take longest, so that no core is left with one of them at the end. */
export const SLOWEST_FIRST = [
  'scripts/deploy/image.test.ts',
  'packages/server/tests/storage/faults.test.ts',
  'packages/server/tests/storage/replicas-take-over.test.ts',
  'packages/server/tests/storage/power-cuts.test.ts',
  'packages/server/tests/storage/kill-and-restart.test.ts',
  'packages/server/tests/outbound/kill-while-delivering.test.ts',
  'packages/server/tests/outbound/kill-with-all-consumers.test.ts',
  'packages/server/tests/platform/one-machine-to-many.test.ts',
  'packages/server/tests/knowledge/**',
  'packages/server/tests/identity/authorization-matrix.test.ts',
  'packages/server/tests/storage/**',
  'packages/server/tests/platform/**',
  'packages/server/tests/identity/**',
  'packages/server/src/storage/{postgres,sqlite}/**',
];

/** Tests that must be unit tests: an import that makes one of them slow or impure is an error. */
export const MUST_BE_UNIT = [
  'packages/contract/src/**',
  'packages/filter/src/**',
  'packages/server/src/**/*.rules.test.ts',
  'packages/widget/frame/{answer,api,chat,look,text}/**',
];

/**
 * What a unit test may import besides our own code, directly or through it. A list of names permits only these. In
 * addition the process of the unit tests has no permission to open a socket, start a thread or a process, or write a
 * file.
 */
export const UNIT_IMPORTS: Readonly<Record<string, 'all' | readonly string[]>> = {
  ...Object.fromEntries(
    [
      ...['assert/strict', 'async_hooks', 'buffer', 'crypto', 'events', 'path', 'perf_hooks'],
      ...['stream', 'stream/consumers', 'stream/promises', 'string_decoder', 'test', 'timers'],
      ...['timers/promises', 'url', 'util', 'zlib'],
    ].map((name) => [`node:${name}`, 'all']),
  ),
  ...Object.fromEntries(
    [
      ...[
        '@fastify/rate-limit',
        '@preact/signals',
        'async-mutex',
        'csv-parse',
        'fastest-levenshtein',
        'fast-check',
      ],
      ...['fastest-levenshtein', 'fastify', 'fflate', 'htmlparser2', 'kysely', 'mammoth'],
      ...['marked', 'pino', 'preact', 'preact-render-to-string', 'prom-client'],
      ...['standardwebhooks', 'typebox', 'unpdf', 'yauzl'],
    ].map((name) => [name, 'all']),
  ),
  'node:http': ['STATUS_CODES'],
  'node:net': ['BlockList', 'isIP', 'isIPv4', 'isIPv6'],
  // A thread is started by the URL of its file, which no unit test may have.
  'node:worker_threads': 'all',
};

export function isAmong(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => posix.matchesGlob(file, pattern));
}

/** Position in `SLOWEST_FIRST`. */
export function slownessOf(file: string): number {
  const found = SLOWEST_FIRST.findIndex((pattern) => posix.matchesGlob(file, pattern));
  return found === -1 ? SLOWEST_FIRST.length : found;
}
