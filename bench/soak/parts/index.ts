import type { FakeModel } from '../../../packages/server/tests/support/assistant/fake-model.ts';
import {
  type NatsServer,
  NO_NATS,
} from '../../../packages/server/tests/support/brokers/nats-server.ts';
import type { Receiver } from '../../../packages/server/tests/support/events/receiver.ts';
import { type Client, clientOf } from '../../../packages/server/tests/support/http/client.ts';
import type { RunningProvider } from '../../../packages/server/tests/support/identity/oidc-provider.ts';
import type { Site } from '../../../packages/server/tests/support/knowledge/site.ts';
import { makeKey, makeSpace, signIn } from '../../../packages/server/tests/support/provision.ts';
import type { Backups } from '../../../packages/server/tests/support/storage/backups.ts';
import type { Latencies } from '../pace.ts';
import type { Part, Setting } from '../setting.ts';
import { SentEvents } from '../tally.ts';
import { Library } from '../written.ts';
import { startChats } from './chat-traffic.ts';
import { startListeners, startSink, startWebhook } from './consumers.ts';
import { startDocuments } from './document-traffic.ts';
import { startEvents } from './event-traffic.ts';
import { startHandoffs } from './handoffs.ts';
import { startLinks } from './link-traffic.ts';
import { startReplays } from './replays.ts';
import { startRetention } from './retention.ts';
import { startSearches } from './searches.ts';
import { startSignIns } from './sign-ins.ts';
import { startSignedEvents } from './signed-events.ts';
import { startToolCalls } from './tool-calls.ts';
import { startBackups, startCrawls, startReads } from './upkeep.ts';
import { startVersions } from './versions.ts';

const SCOPES = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;

/** The servers around the service, and the pace. */
export interface Surroundings {
  readonly urls: readonly string[];
  /** Receives the webhooks of a subscription. */
  readonly receiver: Receiver;
  /** Receives the webhooks of a subscription that is replayed. */
  readonly replayReceiver: Receiver;
  /** Receives the calls of tools. */
  readonly backend: Receiver;
  readonly provider: RunningProvider;
  readonly nats: NatsServer | null;
  readonly model: FakeModel;
  readonly site: Site;
  readonly backups: Backups;
  readonly batchesPerSecond: number;
  /** Pause between backups and between crawls, in milliseconds. */
  readonly upkeepPauseMs: number;
}

/** Creates a space and all parts of the load. */
export async function startParts(
  surroundings: Surroundings,
  run: { readonly latencies: Latencies; readonly signal: AbortSignal; readonly failures: string[] },
): Promise<ReadonlyMap<string, Part>> {
  const { urls, nats, model, site, backups, batchesPerSecond, upkeepPauseMs } = surroundings;
  const client = alternating(urls);
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id, SCOPES);
  const setting: Setting = { urls, client, session, space, key, ...run };
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
    ['backups', startBackups(setting, backups, upkeepPauseMs)],
    ['crawls', await startCrawls(setting, site, upkeepPauseMs)],
  ]);
  for (const [index, part] of startListeners(setting, sent).entries())
    parts.set(`listener ${index}`, part);
  if (nats !== null) parts.set('sink', await startSink(setting, sent, nats));
  else process.stderr.write(`no sink: ${NO_NATS}\n`);
  return parts;
}

function alternating(urls: readonly string[]): Client {
  const clients = urls.map(clientOf);
  let turn = 0;
  return (path, send) => {
    turn += 1;
    return (clients[turn % clients.length] as Client)(path, send);
  };
}
