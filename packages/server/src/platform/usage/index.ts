export {
  createUsageRepository,
  type Usage,
  type UsageOfDay,
  type UsageRepository,
} from './usage.repository.ts';
export { createUsageCounter, type UsageCounter } from './usage-counter.ts';
