export { startOutbox } from './outbox.job.ts';
export { startRemoval } from './removal.job.ts';
