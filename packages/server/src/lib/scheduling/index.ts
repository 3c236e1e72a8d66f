export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export type { Clock } from './clock.ts';
export { FairQueue } from './fair-queue.ts';
export { FirstFailure } from './first-failure.ts';
export { ThreadTurns } from './thread-turns.ts';
export { type TurnOptions, Turns } from './turns.ts';
