export { registerEventRoutes } from './events.routes.ts';
export type { IngestDeps } from './ingest.service.ts';
