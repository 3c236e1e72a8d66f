export {
  createDeliveries,
  type DeliveriesDeps,
  type DeliveriesRoom,
  registerDeliveriesRoutes,
} from './create-webhooks.ts';
export type { DeliveryEvent } from './dispatch/outboxes.service.ts';
