import type { FastifyInstance } from 'fastify';
import type { Access } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Metrics } from '../../platform/metrics/index.ts';
import { createSealer } from '../../platform/secrets/index.ts';
import type { Database, EventStore, Leases, WriteTogether } from '../../storage/ports/index.ts';
import { createDeliveryRepository } from './deliveries/delivery.repository.ts';
import { registerDeliveryRoutes } from './deliveries/delivery.routes.ts';
import { createDeliveryService, type DeliveryService } from './deliveries/delivery.service.ts';
import { createSaveProgress } from './deliveries/progress.repository.ts';
import { createOutboxes, type DeliveryEvent } from './dispatch/outboxes.service.ts';
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
  readonly writeTogether: WriteTogether;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly sender: WebhookSender;
  /** The installation's secret, from which a key is derived; 32 bytes. */
  readonly secret: Buffer;
  readonly clock: Clock;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly metrics: Metrics;
  readonly onEvent: (event: DeliveryEvent) => void;
}

/** What this module offers. To be disposed before the store. */
export interface WebhooksModule extends AsyncDisposable {
  readonly subscriptions: SubscriptionService;
  readonly deliveries: DeliveryService;
  readonly refusalOf: WebhookSender['refusalOf'];
  /** Where the slowest subscription of a space has got to; null when it has none that is active. */
  position(spaceId: string): Promise<number | null>;
  /** Begins to serve all subscriptions, while no other process does. */
  start(): Promise<void>;
  /** To be called once a space is gone. */
  removeSpace(spaceId: string): void;
}

export function createWebhooks(deps: WebhooksDeps): WebhooksModule {
  const { db, sender } = deps;
  const parts = {
    ...deps,
    sealer: createSealer(deps.secret, 'subscriptions'),
    subscriptions: createSubscriptionRepository(db),
    deliveries: createDeliveryRepository(db),
    save: createSaveProgress(db, deps.writeTogether),
    count: countDeliveries(deps.metrics),
  };
  const outboxes = createOutboxes(parts);
  showDeliveries(deps.metrics, outboxes);
  return {
    subscriptions: createSubscriptionService({ ...parts, outboxes }),
    deliveries: createDeliveryService({ ...parts, outboxes }),
    refusalOf: sender.refusalOf,
    position: outboxes.position,
    start: outboxes.start,
    removeSpace: outboxes.forgetSpace,
    [Symbol.asyncDispose]: outboxes.close,
  };
}

export function registerWebhooksRoutes(
  app: FastifyInstance,
  webhooks: WebhooksModule & { readonly access: Access },
): void {
  registerSubscriptionRoutes(app, webhooks);
  registerDeliveryRoutes(app, webhooks);
}
