export { createWebhooks, registerWebhooksRoutes, type WebhooksModule } from './create-webhooks.ts';
export type { DeliveryEvent } from './dispatch/dispatch-job.ts';
