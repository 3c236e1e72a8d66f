export { countEvents } from './events.metrics.ts';
export { registerEventRoutes } from './events.routes.ts';
export type { IngestDeps } from './ingest.service.ts';
