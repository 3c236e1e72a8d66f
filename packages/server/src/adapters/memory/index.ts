export { createMemoryPlaces } from './places.ts';
export { createMemoryRateCounts } from './rate-counts.ts';
