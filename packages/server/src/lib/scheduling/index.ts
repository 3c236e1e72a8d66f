export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export type { Clock } from './clock.ts';
export { FairQueue } from './fair-queue.ts';
export { FairScheduler, type FairSchedulerOptions } from './fair-scheduler.ts';
export { FirstFailure } from './first-failure.ts';
export { ThreadScheduler } from './thread-scheduler.ts';
