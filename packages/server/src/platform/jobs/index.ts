export { startQueue, startRemoval } from './regular-work.job.ts';
