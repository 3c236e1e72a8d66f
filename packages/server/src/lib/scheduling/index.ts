export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export type { Clock } from './clock.ts';
export { FairQueue } from './fair-queue.ts';
export { FirstFailure } from './first-failure.ts';
export { ThreadScheduler } from './thread-scheduler.ts';
export { type FairSchedulerOptions, FairScheduler } from './fair-scheduler.ts';
