export {
  createDeliveries,
  type DeliveriesDeps,
  type DeliveriesRoom,
  registerDeliveriesRoutes,
} from './create-deliveries.ts';
export type { DeliveryEvent } from './outboxes.service.ts';
