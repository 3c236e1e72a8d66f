export { type AllCounts, publishCounts } from './count-publishing.ts';
export { registerStatsRoutes } from './stats.routes.ts';
export { type Answered, createTally, refusalOf, type Tally } from './tally.ts';
