import type { FastifyInstance } from 'fastify';
import type { Access } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Metrics } from '../../platform/metrics/index.ts';
import { createSealer } from '../../platform/secrets/index.ts';
import type { Database, EventStore, Leases, WriteAtomically } from '../../storage/ports/index.ts';
import { createSaveCheckpoint } from './deliveries/checkpoint.repository.ts';
import { createDeliveryRepository } from './deliveries/delivery.repository.ts';
import { registerDeliveryRoutes } from './deliveries/delivery.routes.ts';
import { createDeliveryService, type DeliveryService } from './deliveries/delivery.service.ts';
import { createErasedDeliveryRepository } from './deliveries/erased-delivery.repository.ts';
import { createSuccessfulDeliveryRepository } from './deliveries/successful-delivery.repository.ts';
import type { DeliveryEvent } from './dispatch/dispatch-job.ts';
import { createDispatcher } from './dispatch/dispatcher.service.ts';
import { createReplayRepository } from './replays/replay.repository.ts';
import { registerReplayRoutes } from './replays/replay.routes.ts';
import { createReplayService, type ReplayService } from './replays/replay.service.ts';
import type { WebhookSender } from './sending/webhook-sender.ts';
import { createSubscriptionRepository } from './subscriptions/subscription.repository.ts';
import { registerSubscriptionRoutes } from './subscriptions/subscription.routes.ts';
import {
  createSubscriptionService,
  type SubscriptionService,
} from './subscriptions/subscription.service.ts';
import { countDeliveries, showDeliveries } from './webhooks.metrics.ts';

export interface WebhooksDeps {
  readonly db: Database;
  readonly writeAtomically: WriteAtomically;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly sender: WebhookSender;
  /** Installation secret of 32 bytes, from which the encryption key is derived. */
  readonly secret: Buffer;
  /** Retention of successful deliveries in days. 0: successful deliveries are not stored. */
  readonly retentionDays: number;
  readonly clock: Clock;
  /** Returns a number from 0 to 1 (exclusive) for jitter. */
  readonly random: () => number;
  readonly metrics: Metrics;
  readonly onEvent: (event: DeliveryEvent) => void;
}

/** The module must be disposed before the store. */
export interface WebhooksModule extends AsyncDisposable {
  readonly subscriptions: SubscriptionService;
  readonly deliveries: DeliveryService;
  readonly replays: ReplayService;
  readonly refusalOf: WebhookSender['refusalOf'];
  /** Returns the lowest position of the active subscriptions, or `null` if there are none. */
  position(spaceId: string): Promise<number | null>;
  /** Returns the lowest stored position of the active subscriptions, or `null` if there are none. Deliveries restart there after a crash. */
  storedPosition(spaceId: string): Promise<number | null>;
  /** Competes for the delivery lease. The holder delivers to all subscriptions. */
  start(): Promise<void>;
  /**
   * Deletes the deliveries of all events with a subject. Must be called after the events were erased: deliveries that exist only in
   * memory are read from the log again. Returns the number of deleted deliveries, including successful ones.
   */
  eraseSubject(spaceId: string, subject: string): Promise<number>;
  /** Must be called after a space is deleted. */
  removeSpace(spaceId: string): void;
}

export function createWebhooks(deps: WebhooksDeps): WebhooksModule {
  const { db, sender } = deps;
  const parts = {
    ...deps,
    sealer: createSealer(deps.secret, 'subscriptions'),
    subscriptions: createSubscriptionRepository(db),
    deliveries: createDeliveryRepository(db),
    successful: createSuccessfulDeliveryRepository(db),
    save: createSaveCheckpoint(db, deps.writeAtomically),
    count: countDeliveries(deps.metrics),
  };
  const dispatcher = createDispatcher(parts);
  const erased = createErasedDeliveryRepository(db);
  showDeliveries(deps.metrics, dispatcher);
  return {
    subscriptions: createSubscriptionService({ ...parts, dispatcher }),
    deliveries: createDeliveryService({ ...parts, dispatcher }),
    replays: createReplayService({
      ...parts,
      replays: createReplayRepository(db),
      dispatcher,
    }),
    refusalOf: sender.refusalOf,
    position: dispatcher.position,
    storedPosition: parts.subscriptions.lowestPosition,
    start: dispatcher.start,
    eraseSubject: async (spaceId, subject) => {
      const restarted = await erased.restartAll(spaceId);
      for (const subscriptionId of restarted) await dispatcher.reload({ spaceId, subscriptionId });
      const { count, subscriptionIds } = await erased.removeOfSubject(spaceId, subject);
      for (const subscriptionId of subscriptionIds)
        await dispatcher.sync({ spaceId, subscriptionId }, null);
      return count;
    },
    removeSpace: dispatcher.removeSpace,
    [Symbol.asyncDispose]: dispatcher.close,
  };
}

export function registerWebhooksRoutes(
  app: FastifyInstance,
  webhooks: WebhooksModule & { readonly access: Access },
): void {
  registerSubscriptionRoutes(app, webhooks);
  registerDeliveryRoutes(app, webhooks);
  registerReplayRoutes(app, webhooks);
}
