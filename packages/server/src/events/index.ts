export { registerEventRoutes } from './events.routes.ts';
export type { IngestDeps } from './ingest.service.ts';
export { createIngestLimits, type IngestLimits, type IngestRates } from './ingest-limits.ts';
export { countDropped, showListeners } from './live/live.metrics.ts';
export { createLive, type Live } from './live/live.service.ts';
export { type AllCounts, shareCounts } from './stats/count-sharing.ts';
export { createTally, type Tally } from './stats/tally.ts';
