import { rateCountsSuite } from '../ports/rate-counts.suite.ts';
import { semaphoresSuite } from '../ports/semaphores.suite.ts';
import { createMemoryRateCounts, createMemorySemaphores } from './index.ts';

const noop = async () => {};

rateCountsSuite('in memory', false, async (clock) => {
  const counts = createMemoryRateCounts(clock);
  return { one: counts, other: counts, [Symbol.asyncDispose]: noop };
});

semaphoresSuite('in memory', false, async () => {
  const semaphores = createMemorySemaphores();
  return { one: semaphores, other: semaphores, [Symbol.asyncDispose]: noop };
});
