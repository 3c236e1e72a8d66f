export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export { BatchSize } from './batch-size.ts';
export { type Clock, DAY_MS, dayOf, MINUTE_MS, toMilliseconds, toTime } from './clock.ts';
export { FairQueue } from './fair-queue.ts';
export { FairScheduler, type FairSchedulerOptions } from './fair-scheduler.ts';
export {
  type Charge,
  FairTimeQueue,
  type RunningItem,
  type TimeSpent,
  type WorkOwner,
} from './fair-time-queue.ts';
export { FirstFailure } from './first-failure.ts';
export { GatheredWrites, type GatheredWritesOptions } from './gathered-writes.ts';
export { PacedRejections } from './paced-rejections.ts';
export { ThreadScheduler } from './thread-scheduler.ts';
export { type TimeBudget, TimeBudgets } from './time-budgets.ts';
