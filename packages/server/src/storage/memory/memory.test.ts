import { placesSuite } from '../ports/places.suite.ts';
import { rateCountsSuite } from '../ports/rate-counts.suite.ts';
import { createMemoryPlaces, createMemoryRateCounts } from './index.ts';

const nothing = async () => {};

rateCountsSuite('in memory', false, async (clock) => {
  const counts = createMemoryRateCounts(clock);
  return { one: counts, other: counts, [Symbol.asyncDispose]: nothing };
});

placesSuite('in memory', false, async () => {
  const places = createMemoryPlaces();
  return { one: places, other: places, [Symbol.asyncDispose]: nothing };
});
