export {
  createUsageRepository,
  type UsageOfDay,
  type UsageRepository,
} from './usage.repository.ts';
export { createUsageCounter, type Usage, type UsageCounter } from './usage-counter.ts';
