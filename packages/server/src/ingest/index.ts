export { registerIngestRoutes } from './ingest.routes.ts';
export type { IngestDeps } from './ingest.service.ts';
export { createIngestLimits, type IngestLimits, type IngestRates } from './limits/ingest-limits.ts';
export {
  createRejectionRepository,
  RejectionLog,
  type RejectionRepository,
} from './rejections/index.ts';
