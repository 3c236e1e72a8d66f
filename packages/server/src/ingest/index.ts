export { registerIngestRoutes } from './ingest.routes.ts';
export { createIngestLimits, type IngestLimits } from './limits/ingest-limits.ts';
export {
  createRejectionRepository,
  RejectionLog,
  type RejectionRepository,
} from './rejections/index.ts';
