import type { Browser } from 'playwright-core';
import type { FakeModel } from '../../../packages/server/tests/support/assistant/fake-model.ts';
import type { KafkaCluster } from '../../../packages/server/tests/support/brokers/kafka/cluster.ts';
import { NO_KAFKA } from '../../../packages/server/tests/support/brokers/kafka/program.ts';
import {
  type NatsServer,
  NO_NATS,
} from '../../../packages/server/tests/support/brokers/nats-server.ts';
import { skip as NO_BROWSER } from '../../../packages/server/tests/support/browser/browser.ts';
import type { Receiver } from '../../../packages/server/tests/support/events/receiver.ts';
import type { RunningProvider } from '../../../packages/server/tests/support/identity/oidc-provider.ts';
import type { Site } from '../../../packages/server/tests/support/knowledge/site.ts';
import { makeKey, makeSpace, signIn } from '../../../packages/server/tests/support/provision.ts';
import type { ChildServer } from '../../../packages/server/tests/support/services/child-server.ts';
import type {
  Backups,
  RestoredCopy,
} from '../../../packages/server/tests/support/storage/backups.ts';
import type { Failovers } from '../failovers.ts';
import type { Latencies } from '../pace.ts';
import type { Replicas } from '../replicas.ts';
import type { Part, Setting } from '../setting.ts';
import { SentEvents } from '../tally.ts';
import { Library } from '../written.ts';
import { startBackups } from './backups.ts';
import { startBrowsers } from './browsers.ts';
import { startChats } from './chat-traffic.ts';
import { startDocuments } from './document-traffic.ts';
import { startListeners, startWebhook } from './events/consumers.ts';
import { startReplays } from './events/replays.ts';
import { startRetention } from './events/retention.ts';
import { startSignedEvents } from './events/signed-events.ts';
import { startKafkaSink, startNatsSink } from './events/sinks.ts';
import { startEvents } from './events/traffic.ts';
import { startFailovers } from './failovers.ts';
import { startHandoffs } from './handoffs.ts';
import { startLinks } from './link-traffic.ts';
import { startRestarts } from './restarts.ts';
import { startSearches } from './searches.ts';
import { startSignIns } from './sign-ins.ts';
import { startToolCalls } from './tool-calls.ts';
import { startCrawls, startReads } from './upkeep.ts';
import { startVersions } from './versions.ts';

const SCOPES = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;

/** The servers around the service, and the pace. */
export interface Surroundings {
  readonly replicas: Replicas;
  /** Receives the webhooks of a subscription. */
  readonly receiver: Receiver;
  /** Receives the webhooks of a subscription that is replayed. */
  readonly replayReceiver: Receiver;
  /** Receives the calls of tools. */
  readonly backend: Receiver;
  readonly provider: RunningProvider;
  readonly nats: NatsServer | null;
  readonly kafka: KafkaCluster | null;
  /** Topic of all events in Kafka. */
  readonly topic: string;
  readonly browser: Browser | null;
  readonly model: FakeModel;
  readonly site: Site;
  readonly backups: Backups;
  /** Starts a service on a restored backup. */
  readonly startCopy: (copy: RestoredCopy) => Promise<ChildServer>;
  readonly batchesPerSecond: number;
  /** Pause between backups, between crawls, and between restarts or failovers, in milliseconds. */
  readonly upkeepPauseMs: number;
  /** `null`: the replicas restart in turn, if there are several. */
  readonly failovers: Failovers | null;
}

/** Creates a space and all parts of the load. */
export async function startParts(
  surroundings: Surroundings,
  run: { readonly latencies: Latencies; readonly signal: AbortSignal; readonly failures: string[] },
): Promise<ReadonlyMap<string, Part>> {
  const { replicas, nats, kafka, model, site, batchesPerSecond, upkeepPauseMs, failovers } =
    surroundings;
  const client = failovers?.patient(replicas.client) ?? replicas.client;
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id, SCOPES);
  const setting: Setting = {
    replicas,
    client,
    session,
    space,
    key,
    failovers,
    interrupted: [],
    ...run,
  };
  const sent = new SentEvents();
  const library = new Library();
  const parts = new Map<string, Part>([
    ['events', await startEvents(setting, sent, batchesPerSecond)],
    ['webhook', await startWebhook(setting, sent, surroundings.receiver)],
    ['retention', await startRetention(setting)],
    ['links', startLinks(setting)],
    ['documents', startDocuments(setting, sent, library)],
    ['searches', startSearches(setting, library)],
    ['versions', startVersions(setting)],
    ['chats', startChats(setting, model)],
    ['tools', await startToolCalls(setting, surroundings.backend)],
    ['handoffs', await startHandoffs(setting)],
    ['signed events', await startSignedEvents(setting)],
    ['replays', await startReplays(setting, surroundings.replayReceiver)],
    ['sign-ins', startSignIns(setting, surroundings.provider)],
    ['reads', startReads(setting)],
    [
      'backups',
      await startBackups(
        setting,
        sent,
        surroundings.backups,
        surroundings.startCopy,
        upkeepPauseMs,
      ),
    ],
    ['crawls', await startCrawls(setting, site, upkeepPauseMs)],
  ]);
  for (const [index, part] of startListeners(setting, sent).entries())
    parts.set(`listener ${index}`, part);
  if (failovers !== null) parts.set('failovers', startFailovers(setting, failovers, upkeepPauseMs));
  else if (replicas.all.length > 1)
    parts.set('restarts', startRestarts(setting, replicas, upkeepPauseMs));
  const { browser } = surroundings;
  if (browser !== null) parts.set('browsers', await startBrowsers(setting, replicas, browser));
  else process.stderr.write(`no browsers: ${NO_BROWSER}\n`);
  if (nats !== null) parts.set('NATS', await startNatsSink(setting, sent, nats));
  else process.stderr.write(`no NATS: ${NO_NATS}\n`);
  if (kafka !== null) parts.set('Kafka', startKafkaSink(setting, sent, kafka, surroundings.topic));
  else process.stderr.write(`no Kafka: ${NO_KAFKA}\n`);
  return parts;
}
