export { startOutbox, startRemoval } from './regular-work.job.ts';
