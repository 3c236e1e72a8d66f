export { registerEventRoutes } from './ingest.routes.ts';
export type { IngestDeps } from './ingest.service.ts';
export { createIngestLimits, type IngestLimits, type IngestRates } from './limits/ingest-limits.ts';
export { countDropped, showListeners } from '../streams/live/live.metrics.ts';
export { createLive, type Live } from '../streams/live/live.service.ts';
export { type AllCounts, shareCounts } from '../streams/statistics/count-sharing.ts';
export { createTally, type Tally } from '../streams/statistics/tally.ts';
