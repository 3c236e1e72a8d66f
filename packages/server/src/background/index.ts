export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export { type TurnOptions, Turns } from './turns.ts';
