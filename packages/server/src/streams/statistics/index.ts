export { type AllCounts, shareCounts } from './count-sharing.ts';
export { registerStatsRoutes } from './stats.routes.ts';
export { type Answered, createTally, type Tally } from './tally.ts';
