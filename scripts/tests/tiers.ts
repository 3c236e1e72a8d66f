import { posix } from 'node:path';

/**
 * Tiers of tests. A `unit` test runs pure code. An `integration` test runs modules and ports on SQLite in one process.
 * A `system` test uses several processes, other servers or a browser. A `release` test checks what is published with
 * the service. A test is a unit test if its imports permit it (`sources.ts`), so only `SYSTEM` and `RELEASE` are listed
 * here.
 */
export type Tier = 'unit' | 'integration' | 'system' | 'release';

/**
 * Tests of what is published with the service: documentation and its examples, the demo, packages, releases and files
 * for deployment. `npm run test:release` and `.ci/run` run them. `npm test` runs them only with a path or a name pattern.
 */
export const RELEASE = [
  'bench/answers/**',
  'packages/cli/tests/package.test.ts',
  'packages/client/tests/{examples,package}.test.ts',
  'packages/contract/tests/**',
  'packages/server/tests/guides/**',
  'packages/server/tests/platform/{demo,other-languages-guide,readme-examples}.test.ts',
  'packages/server/tests/widget/examples.test.ts',
  'packages/site/build/site.test.ts',
  'scripts/{deploy,docs,release}/**',
  'scripts/{check-imports,check-prose,generate-docs,installation,test}.test.ts',
];

/** Tests that need other processes, other servers or a browser. */
export const SYSTEM = [
  'packages/cli/tests/**',
  'packages/client/tests/**',
  'packages/server/tests/**',
  'packages/server/src/storage/postgres/**',
  'packages/server/src/storage/sqlite/crashes/**',
  'packages/server/src/outbound/brokers/{kafka,nats}/index.test.ts',
  'packages/server/src/outbound/webhooks/dispatch/replicas.test.ts',
  'scripts/fuzz/**',
];

/**
 * Tests that run a second time, on PostgreSQL, because they depend on storage behaviour. A folder pattern selects only
 * those tests in the folder that use the store of the test run.
 */
export const ON_BOTH_ENGINES = [
  // Modules: all tests of repositories and of code that uses them.
  'packages/server/src/{assistant,identity,knowledge,links,outbound,platform,streams}/**',
  'packages/server/src/storage/{full-text,ports}/**',
  'packages/server/src/storage/vectors/isolation.test.ts',
  // The service: tests of data that is stored, counted, leased, searched, removed or preserved across restarts.
  'packages/server/tests/assistant/ask-the-assistant.test.ts',
  'packages/server/tests/assistant/chat-limits.test.ts',
  'packages/server/tests/assistant/continue-a-conversation.test.ts',
  'packages/server/tests/assistant/forbidden-{in-conversations,while-answering}.test.ts',
  'packages/server/tests/assistant/{handoff,kill-during-handoff}.test.ts',
  'packages/server/tests/assistant/keep-no-history.test.ts',
  'packages/server/tests/assistant/read-conversations.test.ts',
  'packages/server/tests/assistant/correct-an-answer.test.ts',
  'packages/server/tests/console/{knowledge-editor,operator,product-developer}.test.ts',
  'packages/server/src/http/idempotency/idempotency.test.ts',
  'packages/server/tests/http/repeat-requests.test.ts',
  'packages/server/tests/identity/**',
  'packages/server/tests/ingest/event-credentials.test.ts',
  'packages/server/tests/ingest/escaped-names.test.ts',
  'packages/server/src/ingest/rejections/**',
  'packages/server/tests/ingest/register-event-sources.test.ts',
  'packages/server/tests/ingest/rejected-events.test.ts',
  'packages/server/tests/ingest/send-events.test.ts',
  'packages/server/tests/knowledge/change-many-documents.test.ts',
  'packages/server/tests/knowledge/costly-filters.test.ts',
  'packages/server/tests/knowledge/crash-while-indexing.test.ts',
  'packages/server/tests/knowledge/crawl-a-site.test.ts',
  'packages/server/tests/knowledge/crawls-after-kills.test.ts',
  'packages/server/tests/knowledge/document-versions.test.ts',
  'packages/server/tests/knowledge/find-documents.test.ts',
  'packages/server/tests/knowledge/forbidden-by-meaning.test.ts',
  'packages/server/tests/knowledge/forbidden-knowledge.test.ts',
  'packages/server/tests/knowledge/forbidden-records.test.ts',
  'packages/server/tests/knowledge/large-uploads.test.ts',
  'packages/server/tests/knowledge/order-of-documents.test.ts',
  'packages/server/tests/knowledge/preview-access.test.ts',
  'packages/server/tests/knowledge/records.test.ts',
  'packages/server/tests/knowledge/records-after-kills.test.ts',
  'packages/server/tests/knowledge/replace-documents.test.ts',
  'packages/server/tests/knowledge/search-by-meaning.test.ts',
  'packages/server/tests/knowledge/silent-about-hidden-documents.test.ts',
  'packages/server/tests/knowledge/synchronise-documents.test.ts',
  'packages/server/tests/knowledge/time-budget.test.ts',
  'packages/server/tests/knowledge/titles-and-urls.test.ts',
  'packages/server/tests/knowledge/unusual-searches.test.ts',
  'packages/server/tests/knowledge/upload-documents.test.ts',
  // `replicas-agree` always runs on PostgreSQL.
  'packages/server/tests/links/{deprecated-bot-id,filter-a-space,limit-reads-of-a-link,restricted-by-lists,revoke-a-link,sign-in-to-link-to-events}.test.ts',
  'packages/server/tests/outbound/attempt-logs.test.ts',
  'packages/server/tests/outbound/deliver-events.test.ts',
  'packages/server/tests/outbound/kill-while-delivering.test.ts',
  'packages/server/tests/outbound/kill-with-all-consumers.test.ts',
  'packages/server/tests/outbound/kill-while-replaying.test.ts',
  'packages/server/tests/outbound/park-deliveries.test.ts',
  'packages/server/tests/outbound/replay-events.test.ts',
  'packages/server/tests/outbound/subscribe-to-events.test.ts',
  'packages/server/tests/platform/back-up-and-restore.test.ts',
  'packages/server/tests/platform/change-the-signing-key.test.ts',
  'packages/server/tests/platform/logs-hold-no-secret.test.ts',
  'packages/server/tests/platform/lost-secret.test.ts',
  'packages/server/tests/platform/stop-and-start.test.ts',
  'packages/server/tests/storage/{kill-and-restart,kill-before-response}.test.ts',
  'packages/server/tests/streams/**',
];

/**
 * Tests of `ON_BOTH_ENGINES` that hardly depend on the engine, or whose cases are covered by other tests. Only
 * `npm test -- --on-both-engines` and `npm run test:chaos` run them on PostgreSQL.
 */
export const ON_POSTGRES_IN_CHAOS = [
  // Nearly all of their statements run on PostgreSQL in other tests too. Exceptions: deleted attachments, the parts of large uploads.
  'packages/server/src/links/page/**',
  'packages/server/src/links/sessions/exchange-cors.test.ts',
  'packages/server/src/outbound/brokers/publishing/**',
  'packages/server/tests/assistant/{ask-the-assistant,chat-limits,continue-a-conversation,correct-an-answer,keep-no-history,read-conversations}.test.ts',
  'packages/server/tests/console/{knowledge-editor,operator,product-developer}.test.ts',
  'packages/server/tests/identity/{accounts,audit-events,authorization-matrix,erase-a-person,first-start,invite-a-colleague,single-sign-on,swapped-ids}.test.ts',
  'packages/server/tests/ingest/{escaped-names,event-credentials,rejected-events}.test.ts',
  'packages/server/tests/knowledge/{change-many-documents,costly-filters,document-versions,large-uploads,replace-documents,titles-and-urls,unusual-searches,upload-documents}.test.ts',
  'packages/server/tests/links/{deprecated-bot-id,filter-a-space,sign-in-to-link-to-events}.test.ts',
  'packages/server/tests/outbound/{attempt-logs,park-deliveries,subscribe-to-events}.test.ts',
  'packages/server/tests/platform/{change-the-signing-key,logs-hold-no-secret,lost-secret,stop-and-start}.test.ts',
  'packages/server/tests/streams/{event-retention,event-stats,page-feed,slow-listeners}.test.ts',
  // Another test of the same property runs on both engines: `records-after-kills`, `forbidden-records`, `forbidden-by-meaning`,
  // `forbidden-knowledge`, `kill-while-delivering`, `kill-during-handoff`, `one-time-link`, `idempotency`.
  'packages/server/tests/assistant/handoff.test.ts',
  'packages/server/tests/http/repeat-requests.test.ts',
  'packages/server/tests/identity/{kill-while-deleting,kill-while-redeeming}.test.ts',
  'packages/server/tests/knowledge/{crash-while-indexing,crawls-after-kills,preview-access,search-by-meaning,records,silent-about-hidden-documents,synchronise-documents}.test.ts',
  'packages/server/tests/outbound/{deliver-events,kill-while-replaying,kill-with-all-consumers}.test.ts',
];

/**
 * Tests with seeded random inputs. `npm test` runs a sample of the inputs, and `npm run test:chaos` runs all of them.
 */
export const CHAOS = [
  // Runs the client on the runtimes that only this command installs.
  'packages/client/tests/package.test.ts',
  'packages/filter/{src/**,tests/{agreement,largest-filters}.test.ts}',
  'packages/server/src/http/bodies/json-body.test.ts',
  'packages/server/src/ingest/{formats,validation}/**',
  'packages/server/src/knowledge/projections/record-state.rules.test.ts',
  'packages/server/src/lib/{json,text}/**',
  'packages/server/src/outbound/webhooks/dispatch/{dispatcher,replicas}.test.ts',
  'packages/server/src/storage/sqlite/crashes/kill.test.ts',
  'packages/server/src/storage/full-text/{loaded-spaces/isolation.test.ts,ranking/**,terms/term-dictionary.test.ts}',
  'packages/server/src/storage/in-memory/evaluated-scope.test.ts',
  'packages/server/src/storage/postgres/knowledge/ranking/replicas.test.ts',
  'packages/server/src/storage/{postgres,sqlite}/knowledge/engine.test.ts',
  'packages/server/src/storage/vectors/isolation.test.ts',
  'packages/server/tests/assistant/{correct-an-answer,forbidden-in-conversations,kill-during-handoff}.test.ts',
  'packages/server/tests/ingest/mutated-events.test.ts',
  'packages/server/tests/links/forbidden-after-revocation.test.ts',
  'packages/server/tests/knowledge/{crash-while-indexing,crawls-after-kills,forbidden-by-meaning,forbidden-knowledge,forbidden-records,hostile-documents,mutated-previews,preview-access,records-after-kills,silent-about-hidden-documents}.test.ts',
  'packages/server/tests/http/{errors-in-one-form,generated-requests}.test.ts',
  'packages/server/tests/identity/{audit-events,kill-while-deleting,kill-while-erasing}.test.ts',
  'packages/server/tests/outbound/kill-while-delivering.test.ts',
  'packages/server/tests/outbound/kill-with-all-consumers.test.ts',
  'packages/server/tests/outbound/{kafka,nats}-changes-its-leader.test.ts',
  'packages/server/tests/outbound/send-events-to-{kafka,nats}.test.ts',
  'packages/server/tests/platform/one-machine-to-many.test.ts',
  'packages/server/tests/storage/{faults,kill-and-restart,postgres-versions,power-cuts,replica-simulator,replicas-take-over,simulator,upgrade-replicas}.test.ts',
  'packages/server/tests/widget/other-browsers.test.ts',
  'packages/widget/frame/{markdown/**,screen-reader/announcer.test.ts}',
  'packages/server/src/knowledge/parsers/{index.test.ts,passages/**}',
  'scripts/deploy/image.test.ts',
  'scripts/fuzz/parsers/campaign.test.ts',
];

/**
 * System tests that look for errors which are rare by nature: lost events, stored secrets, and answers that reveal
 * something. `npm test` repeats a failed system test once, because a browser or a service may miss a deadline on a busy
 * machine. It does not repeat one of these tests after a failed assertion, because a second run could hide the error.
 */
export const RARE_FAILURES = [
  ...CHAOS,
  'packages/contract/tests/**',
  'packages/server/src/**',
  'packages/server/tests/assistant/{forbidden,kill}-*',
  'packages/server/tests/identity/**',
  'packages/server/tests/ingest/**',
  'packages/server/tests/knowledge/{forbidden,silent}-*',
  'packages/server/tests/links/**',
  'packages/server/tests/platform/*{secret,signing-key}*',
  'packages/server/tests/storage/**',
];

/** The slowest test files. They are started first, so that the run does not end with one slow file on a single core. */
export const SLOWEST_FIRST = [
  'scripts/deploy/image.test.ts',
  'packages/server/tests/storage/faults.test.ts',
  'packages/server/tests/storage/replicas-take-over.test.ts',
  'packages/server/tests/storage/power-cuts.test.ts',
  'packages/server/tests/storage/kill-and-restart.test.ts',
  'packages/server/tests/outbound/kill-while-delivering.test.ts',
  'packages/server/tests/outbound/kill-with-all-consumers.test.ts',
  'packages/server/tests/platform/one-machine-to-many.test.ts',
  'packages/client/tests/{examples,package}.test.ts',
  'packages/server/tests/knowledge/{costly-filters,crash-while-indexing,crawls-after-kills,failing-embedding-model,forbidden-by-meaning,forbidden-knowledge,hostile-documents,large-uploads,records-after-kills,search-by-meaning,silent-about-hidden-documents}.test.ts',
  'packages/server/tests/identity/{authorization-matrix,first-start,kill-while-deleting,kill-while-erasing,kill-while-redeeming}.test.ts',
  'packages/server/tests/storage/**',
  'packages/server/tests/platform/**',
  'packages/server/tests/widget/{accessible,hostile-answers,open-link}.test.ts',
  'packages/server/src/storage/{postgres,sqlite}/**',
];

/**
 * System tests that do not share a process with other files, because they change or measure their own process. The tests of
 * `SLOWEST_FIRST` do not share one either.
 */
export const OWN_PROCESS = [
  'packages/cli/tests/**',
  'packages/client/tests/**',
  'packages/contract/tests/**',
  'packages/server/src/**',
  'packages/server/tests/guides/**',
  // Pages of one file slowed the shared browser down, so that other files exceeded their timeouts.
  'packages/server/tests/widget/**',
  'scripts/**',
];

/** Tests that must be unit tests. The check fails if one of them has an import that a unit test may not have. */
export const MUST_BE_UNIT = [
  'packages/client/src/**',
  'packages/contract/src/**',
  'packages/filter/src/**',
  'packages/server/src/**/*.rules.test.ts',
  'packages/widget/frame/{api,chat,text}/**',
];

/**
 * Modules that a unit test may import, directly or through our own code. If the value is a list, only the listed names
 * may be imported. In addition, the process of the unit tests has no permission to open a socket, start a thread or a
 * process, or write a file other than compiled code.
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
      ...[
        'fastest-levenshtein',
        'fastify',
        'fflate',
        'htmlparser2',
        'kysely',
        'lru-cache',
        'mammoth',
      ],
      ...['marked', 'pino', 'preact', 'preact-render-to-string', 'prom-client'],
      ...['standardwebhooks', 'typebox', 'unpdf', 'yauzl'],
      // Loaded only when traces are switched on.
      ...[
        'api',
        'context-async-hooks',
        'core',
        'exporter-trace-otlp-http',
        'resources',
        'sdk-trace',
      ].map((name) => `@opentelemetry/${name}`),
    ].map((name) => [name, 'all']),
  ),
  'node:http': ['STATUS_CODES'],
  'node:net': ['BlockList', 'isIP', 'isIPv4', 'isIPv6'],
  // This import is safe: starting a thread requires `new URL(…)`, which a unit test may not use.
  'node:worker_threads': 'all',
};

export function isAmong(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => posix.matchesGlob(file, pattern));
}

/** Returns the index of the first pattern in `SLOWEST_FIRST` that matches a test of that list. */
export function slownessOf(file: string): number {
  return SLOWEST_FIRST.findIndex((pattern) => posix.matchesGlob(file, pattern));
}
