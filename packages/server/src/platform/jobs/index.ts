export { startRemoval } from './removal.job.ts';
